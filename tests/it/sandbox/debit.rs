//! Debits: money from a held node to outside, up to the available balance.

use std::time::Duration;

use daybook_tests::app::TestApp;
use serde_json::json;

#[tokio::test]
async fn debit_settles_at_once_and_goes_outside() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let node = ada.funded("10.00").await;
    let answer = app.client.debit(&node, "7.25").await;
    let made = answer.ok();
    assert_eq!(answer.raw("amount.amount"), "7.25");
    assert_eq!((&made["recent_status"]["status"], &made["from"]["id"]), (&json!("SETTLED"), &json!(node)));
    let outside = json!({
        "id": "", "nickname": "External account", "type": "ACH-US", "user": {"_id": "", "legal_names": []},
    });
    assert_eq!(made["to"], outside);
    assert_eq!(ada.numbers(&node).await, "2.75 0.00 2.75 0.00");
    assert_eq!(ada.entries(&node).await, ["10.00 0.00 0.00", "-7.25 0.00 0.00"]);
    let fetched = ada.get_transaction(&node, made["_id"].as_str().expect("an id")).await.ok();
    assert_eq!(fetched["timeline"], made["timeline"]);
}

#[tokio::test]
async fn debit_beyond_available_balance_is_refused() {
    let app = TestApp::settling_after(Duration::from_mins(15)).await;
    let us = app.client.own_session().await;
    let (node, to) = (us.funded("10.00").await, us.node("DEPOSIT-US").await);
    let promised = us.sent(&node, &to, "4.00").await;
    let _ = app.client.simulate(&promised, "queue", &json!({})).await.ok();
    // Money held for another transaction is not available.
    let answer = app.client.debit(&node, "6.01").await;
    let error = answer.refused(409, "400");
    assert_eq!((&error["code"], &error["node_id"]), (&json!("insufficient_balance"), &json!(node)));
    for (field, number) in [("needed", "6.01"), ("available", "6.00"), ("held", "4.00")] {
        assert_eq!(answer.raw(&format!("error.{field}")), number);
    }
    assert_eq!(us.numbers(&node).await, "10.00 4.00 6.00 0.00");
}

#[tokio::test]
async fn external_node_cannot_be_debited() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let bank = ada.node("ACH-US").await;
    assert_eq!(app.client.debit(&bank, "1").await.refused(400, "410")["code"], "node_not_held");
}
