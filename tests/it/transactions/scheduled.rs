//! Scheduled transactions: they wait for their day, hold nothing until then, and can be canceled.

use daybook_tests::app::TestApp;
use daybook_tests::bodies::transfer;
use daybook_tests::client::Session;
use serde_json::json;

use super::{own, statuses, still};

const DAY_S: i64 = 86_400;

/// Creates a transaction of 10.00 for tomorrow, from a node with `funds`.
async fn tomorrow(app: &TestApp, funds: &str) -> (Session, String, String, String) {
    let us = own(app).await;
    let (from, to) = (us.funded(funds).await, us.node("DEPOSIT-US").await);
    let mut body = transfer(&to, "10.00");
    body["extra"]["process_on"] = json!(1);
    let made = us.transfer(&from, &body).send().await.ok();
    let id = made["_id"].as_str().expect("an id").to_owned();
    (us, from, to, id)
}

#[tokio::test]
async fn scheduled_transaction_settles_on_its_day() {
    let app = still().await;
    let (us, from, to, id) = tomorrow(&app, "10.00").await;
    let _ = app.client.advance(DAY_S - 60).await.ok();
    assert_eq!(statuses(&us.get_transaction(&from, &id).await.ok()), ["CREATED"]);
    assert_eq!(us.numbers(&from).await, "10.00 0.00 10.00 0.00");
    let _ = app.client.advance(60 + 900).await.ok();
    us.when(&from, &id, "SETTLED").await;
    assert_eq!((us.balance(&from).await, us.balance(&to).await), ("0.00".into(), "10.00".into()));
}

#[tokio::test]
async fn scheduled_transaction_fails_if_money_was_spent() {
    let app = still().await;
    let (us, from, _, id) = tomorrow(&app, "10.00").await;
    let _ = app.client.debit(&from, "0.01").await.ok();
    let _ = app.client.advance(DAY_S + 900).await.ok();
    let canceled = us.when(&from, &id, "CANCELED").await.ok();
    let note = canceled["recent_status"]["note"].as_str().expect("text");
    assert!(note.contains("insufficient_funds: needed 10.00, available 9.99, held 0.00 USD"), "{note}");
    assert_eq!(us.numbers(&from).await, "9.99 0.00 9.99 0.00");
}

#[tokio::test]
async fn money_credited_before_the_day_is_enough() {
    let app = still().await;
    let (us, from, to, id) = tomorrow(&app, "0.01").await;
    let _ = app.client.credit(&from, "9.99").await.ok();
    let _ = app.client.advance(DAY_S + 900).await.ok();
    us.when(&from, &id, "SETTLED").await;
    assert_eq!((us.balance(&from).await, us.balance(&to).await), ("0.00".into(), "10.00".into()));
}

#[tokio::test]
async fn scheduled_transaction_can_be_canceled() {
    let app = still().await;
    let (us, from, to, id) = tomorrow(&app, "10.00").await;
    let _ = us.cancel(&from, &id).send().await.ok();
    let _ = app.client.advance(DAY_S + 900).await.ok();
    // Another transaction that was due then has settled, so the day has passed.
    let other = us.sent(&from, &to, "1.00").await;
    let _ = app.client.advance(900).await.ok();
    us.when(&from, &other, "SETTLED").await;
    assert_eq!(statuses(&us.get_transaction(&from, &id).await.ok()), ["CREATED", "CANCELED"]);
    assert_eq!(us.balance(&to).await, "1.00");
}

#[tokio::test]
async fn simulated_step_ignores_the_schedule() {
    let app = still().await;
    let (us, from, to, id) = tomorrow(&app, "10.00").await;
    let settled = app.client.simulate(&id, "settle", &json!({})).await.ok();
    assert_eq!(settled["recent_status"]["status"], "SETTLED");
    assert_eq!((us.balance(&from).await, us.balance(&to).await), ("0.00".into(), "10.00".into()));
}
