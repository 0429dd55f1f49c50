//! Evidence: the bank's files and the texts of their lines are readable until the retention of their month ends.

use daybook_domain::calendar::{Day, Month};
use daybook_domain::{CustodyId, Event, EvidenceId, States, attachment};
use daybook_engine::Eraser;
use daybook_statement::DayBalances;
use daybook_tests::client::until;
use daybook_tests::shard;
use serde_json::{Value, json};
use uuid::Uuid;

use super::bank_files::{ACCOUNT, credit, file, file_of, statement, today_of};
use super::{Desk, names};

const DAY_SECONDS: i64 = 86_400;

/// Returns the first line of a statement, with its text as far as it is readable.
async fn first_line(desk: &Desk, statement: &Value) -> Value {
    let path = format!("statements/{}", statement["_id"].as_str().expect("an id"));
    desk.get(&path).await.ok()["lines"][0].clone()
}

/// Returns the rows that a dump of the vault has about evidence.
async fn dump(desk: &Desk, id: EvidenceId) -> Vec<(i16, Vec<u8>)> {
    let client = desk.app.database.pg().of(shard()).client().await.expect("a connection");
    let sql = "select class, wrapped from vault.subject_key where subject = $1";
    let rows = client.query(sql, &[&Uuid::from(id)]).await.expect("rows");
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

/// Writes rows of a dump back, as a restored backup of the vault has them.
async fn restore(desk: &Desk, id: EvidenceId, rows: &[(i16, Vec<u8>)]) {
    let client = desk.app.database.pg().of(shard()).client().await.expect("a connection");
    let sql = "insert into vault.subject_key (shard, subject, class, wrapped, created_at) values ($1, $2, $3, $4, now())";
    for (class, wrapped) in rows {
        client.execute(sql, &[&shard(), &Uuid::from(id), class, wrapped]).await.expect("a row");
    }
}

/// Number of keys in the vault for the evidence of the month that contains today.
async fn key_count(desk: &Desk, id: EvidenceId) -> u64 {
    let traces = desk.app.service.engine.vault().traces(shard(), Uuid::from(id)).await;
    traces.expect("a database").keys
}

async fn of_today(desk: &Desk) -> EvidenceId {
    of_day(desk, today_of(desk).await).await
}

async fn of_day(desk: &Desk, day: Day) -> EvidenceId {
    let engine = &desk.app.service.engine;
    let platform = engine.access().platform_of_client(&desk.app.client.client_id).await.expect("a database");
    let id = platform.expect("a platform").id;
    let found = engine.reads().aggregates().records(shard(), &[id.into()]).await.expect("records");
    let bank = found.platform(id).expect("opened").bank;
    EvidenceId::of(CustodyId::of(id, bank), Month::of(day))
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
    let keys = dump(&desk, evidence).await;
    assert!(!keys.is_empty());
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
    // A process that starts destroys the keys again, if the vault was restored.
    restore(&desk, evidence, &keys).await;
    assert_eq!(key_count(&desk, evidence).await, keys.len() as u64);
    let _ = Eraser::new(desk.app.service.engine.clone(), shard()).execute().await.expect("executes");
    assert_eq!(key_count(&desk, evidence).await, 0);
}

/// Lines are kept by the month of their day, and the file by the month of its last day.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_month_has_its_own_keys() {
    let desk = Desk::new().await;
    // By itself the bank states dollars only.
    let today = today_of(&desk).await;
    let last = Month::of(today).next().first_day();
    let seconds = (last.start().ms() - today.start().ms()) / 1_000;
    desk.app.client.advance(seconds).await.ok();
    let first = last.plus_days(-1);
    let mut both = statement(ACCOUNT, first, "EUR", &[(4_000, "ONE".to_owned())]);
    let next = statement(ACCOUNT, last, "EUR", &[(500, "TWO".to_owned())]);
    both.days.push(DayBalances { opening: 4_000, closing: 4_500, ..next.days[0].clone() });
    both.lines.extend(next.lines);
    let before = desk.head().await;
    let taken = desk.send("statements", &file_of(vec![both])).await.ok();
    assert_eq!(taken["statements"].as_array().map(Vec::len), Some(2), "{taken}");
    let kept: Vec<_> = desk
        .since(before)
        .await
        .into_iter()
        .filter_map(|happened| match happened.event {
            Event::Attachment(attachment::Event::Added(added)) => added.evidence,
            _ => None,
        })
        .collect();
    let [first, last] = [of_day(&desk, first).await, of_day(&desk, last).await];
    assert_eq!(kept, [last, first, last]);
}
