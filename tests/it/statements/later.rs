//! Events after the end of a month: they do not change its statement.

use daybook_domain::calendar::Day;
use daybook_tests::bodies;
use daybook_tests::client::Session;
use serde_json::{Value, json};

use super::{follow, list, month, next_month, of_node, still};

/// Length of the longest month, in days.
const MONTH_D: i64 = 31;

/// Returns record, JSON and CSV of each statement, byte by byte.
async fn told(us: &Session, statements: &[Value]) -> Vec<String> {
    let mut told = vec![];
    for statement in statements {
        told.push(statement.to_string());
        for link in ["json", "csv"] {
            let answer = follow(us, statement, link).await;
            told.push(format!("{:?} {}", answer.headers.get("x-daybook-position"), answer.text()));
        }
    }
    told
}

#[tokio::test]
async fn later_events_change_no_past_month() {
    let (app, us) = still().await;
    let ada = app.operator("Ada").await;
    let (from, to) = (us.funded("100").await, us.node("DEPOSIT-US").await);
    let outside = us.bank().await;
    let paid = us.transfer(&from, &bodies::transfer_to("ACH-US", &outside, "20")).send().await.ok();
    let paid = paid["_id"].as_str().expect("an id");
    let _ = app.client.simulate(paid, "settle", &json!({})).await.ok();
    let (waiting, ended) = (us.sent(&from, &to, "5").await, month(&app).await);
    let day = Day::of(ended.start());
    next_month(&app).await;
    let statements = [of_node(&us, &from).await, of_node(&us, &to).await].concat();
    assert_eq!(statements.len(), 2);
    let before = told(&us, &statements).await;
    assert!(!before.concat().contains("My "), "a nickname could change");

    // A pending transaction settles, a settled one is returned, and a journal entry is effective in that past month.
    us.when(&from, &waiting, "SETTLED").await;
    let _ = app.client.simulate(paid, "return", &json!({"code": "R10"})).await.ok();
    let lines =
        json!([{"account": "suspense", "amount": 7}, {"account": format!("node:{from}"), "amount": -7}]);
    let act = json!({"kind": "journal", "currency": "USD", "lines": lines, "effective_at": day.start().ms()});
    let path = format!("/platforms/{}/operations", app.client.client_id);
    let asked = ada.call("POST", &path).json(&json!({"act": act, "reason": "A ticket asks for it."}));
    assert_eq!(asked.send().await.ok()["status"], "DONE");
    let _ =
        us.call("PATCH", &format!("/nodes/{from}")).json(&json!({"nickname": "Another"})).send().await.ok();
    let update = json!({"refresh_token": app.client.user(&us.user_id).await["refresh_token"], "update": {"legal_name": "Another"}});
    let _ = us.call("PATCH", "").json(&update).send().await.ok();
    assert_eq!(told(&us, &statements).await, before);

    // The journal entry is in the month in which it was recorded, with its own effective date.
    next_month(&app).await;
    assert_eq!(told(&us, &statements).await, before);
    let later = &of_node(&us, &from).await[0];
    let record = follow(&us, later, "json").await.ok();
    let entries = record["entries"].as_array().expect("a list");
    let journaled = entries.iter().find(|entry| entry.get("operation_id").is_some()).expect("is there");
    assert_eq!((&journaled["date"], &journaled["amount"]), (&json!(day.start().ms()), &json!(7.0)));
    assert_eq!(later["opening_balance"], statements[0]["ending_balance"]);

    for node in [&from, &to] {
        let _ = us.call("DELETE", &format!("/nodes/{node}")).send().await.ok();
    }
    assert_eq!(told(&us, &statements).await, before);
    assert_eq!(of_node(&us, &from).await[1], statements[0]);
}

#[tokio::test]
async fn deleted_node_has_statements_while_holding_money() {
    let (app, us) = still().await;
    let (full, empty) = (us.funded("3").await, us.node("DEPOSIT-US").await);
    for node in [&full, &empty] {
        let _ = us.call("DELETE", &format!("/nodes/{node}")).send().await.ok();
    }
    next_month(&app).await;
    next_month(&app).await;
    assert_eq!([of_node(&us, &full).await.len(), of_node(&us, &empty).await.len()], [2, 1]);
    let ada = app.operator("Ada").await;
    let lines =
        json!([{"account": "suspense", "amount": -3}, {"account": format!("node:{full}"), "amount": 3}]);
    let act = json!({"kind": "journal", "currency": "USD", "lines": lines});
    let path = format!("/platforms/{}/operations", app.client.client_id);
    let _ = ada.call("POST", &path).json(&json!({"act": act, "reason": "It is closed."})).send().await.ok();
    next_month(&app).await;
    next_month(&app).await;
    let ends: Vec<_> =
        of_node(&us, &full).await.iter().map(|one| one["ending_balance"].to_string()).collect();
    assert_eq!(ends, ["0.0", "3.0", "3.0"]);
    assert_eq!(of_node(&us, &empty).await.len(), 1);
}

#[tokio::test]
async fn clock_of_another_platform_ends_no_month() {
    let (app, us) = still().await;
    let other = app.platform("Other", true).await;
    let theirs = other.own_session().await;
    let _ = us.node("DEPOSIT-US").await;
    let _ = theirs.node("DEPOSIT-US").await;
    let _ = other.noon(MONTH_D).await;
    assert_eq!(list(&us, "/statements").await, Vec::<Value>::new());
    assert!(!list(&theirs, "/statements").await.is_empty());
}
