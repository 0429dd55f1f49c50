//! Evidence: the bank's files and the texts of their lines are readable until the retention of their month ends.

use daybook_domain::calendar::Month;
use daybook_domain::{CustodyId, EvidenceId, States};
use daybook_tests::client::until;
use daybook_tests::shard;
use serde_json::{Value, json};
use uuid::Uuid;

use super::bank_files::{ACCOUNT, credit, file, today_of};
use super::{Desk, names};

const DAY_SECONDS: i64 = 86_400;

/// Returns the first line of a statement, with its text as far as it is readable.
async fn first_line(desk: &Desk, statement: &Value) -> Value {
    let path = format!("statements/{}", statement["_id"].as_str().expect("an id"));
    desk.get(&path).await.ok()["lines"][0].clone()
}

/// Number of keys in the vault for the evidence of the month that contains today.
async fn key_count(desk: &Desk, id: EvidenceId) -> u64 {
    let traces = desk.app.service.engine.vault().traces(shard(), Uuid::from(id)).await;
    traces.expect("a database").keys
}

async fn of_today(desk: &Desk) -> EvidenceId {
    let engine = &desk.app.service.engine;
    let platform = engine.access().platform_of_client(&desk.app.client.client_id).await.expect("a database");
    let id = platform.expect("a platform").id;
    let found = engine.reads().aggregates().records(shard(), &[id.into()]).await.expect("records");
    let bank = found.platform(id).expect("opened").bank;
    EvidenceId::of(CustodyId::of(id, bank), Month::of(today_of(desk).await))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn texts_are_gone_after_their_retention() {
    let desk = Desk::new().await;
    desk.act(&json!({"kind": "set_policy", "policy": {"evidence_years": 1}})).await.ok();
    let (paid, day, evidence) = (credit(&desk, "40").await, today_of(&desk).await, of_today(&desk).await);
    let text = file(ACCOUNT, day, &[("USD", vec![(4_000, paid.clone())])]);
    let before = desk.head().await;
    let statement = desk.send("statements", &text).await.ok()["statements"][0].clone();
    let kept = ["evidence.opened", "attachment.added", "attachment.added"];
    assert_eq!(names(&desk.since(before).await)[..3], kept);
    assert_eq!(first_line(&desk, &statement).await["text"], "A PERSON");
    assert!(key_count(&desk, evidence).await > 0);
    desk.app.client.advance(396 * DAY_SECONDS).await.ok();
    until("the texts are gone", async || {
        first_line(&desk, &statement).await.get("text").is_none_or(Value::is_null).then_some(())
    })
    .await;
    assert_eq!(key_count(&desk, evidence).await, 0);
    // Amounts, and the transaction that the line cleared, stay for ever.
    let line = first_line(&desk, &statement).await;
    assert_eq!((&line["amount"], &line["explains"]["trans_id"]), (&json!(40.0), &json!(paid)), "{line}");
    let restated = json!({"file": file(ACCOUNT, day, &[("USD", vec![(4_000, "OTHER".to_owned())])]), "restate": "Late."});
    let refused = desk.post(&desk.ada, "statements", &restated).await.refused(409, "400");
    assert_eq!(refused["code"], "statement_retention", "{refused}");
    assert_eq!(key_count(&desk, evidence).await, 0, "a refused file makes no keys");
}
