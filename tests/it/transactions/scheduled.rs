//! Scheduled: it waits for its day, holds nothing until then, and may be called off.

use daybook_tests::app::TestApp;
use daybook_tests::bodies::transfer;
use daybook_tests::client::Session;
use serde_json::json;

use super::{own, statuses, still};

const DAY_S: i64 = 86_400;

/// A transaction of 10.00 for tomorrow from a node with this much.
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
async fn on_its_day_it_is_done() {
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
async fn what_was_spent_until_then_is_missing() {
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
async fn what_comes_until_then_is_enough() {
    let app = still().await;
    let (us, from, to, id) = tomorrow(&app, "0.01").await;
    let _ = app.client.credit(&from, "9.99").await.ok();
    let _ = app.client.advance(DAY_S + 900).await.ok();
    us.when(&from, &id, "SETTLED").await;
    assert_eq!((us.balance(&from).await, us.balance(&to).await), ("0.00".into(), "10.00".into()));
}

#[tokio::test]
async fn it_may_be_called_off_before() {
    let app = still().await;
    let (us, from, to, id) = tomorrow(&app, "10.00").await;
    let _ = us.cancel(&from, &id).send().await.ok();
    let _ = app.client.advance(DAY_S + 900).await.ok();
    // Something else that was due then is done, so the day has come.
    let other = us.sent(&from, &to, "1.00").await;
    let _ = app.client.advance(900).await.ok();
    us.when(&from, &other, "SETTLED").await;
    assert_eq!(statuses(&us.get_transaction(&from, &id).await.ok()), ["CREATED", "CANCELED"]);
    assert_eq!(us.balance(&to).await, "1.00");
}

#[tokio::test]
async fn a_simulated_step_does_not_wait() {
    let app = still().await;
    let (us, from, to, id) = tomorrow(&app, "10.00").await;
    let settled = app.client.simulate(&id, "settle", &json!({})).await.ok();
    assert_eq!(settled["recent_status"]["status"], "SETTLED");
    assert_eq!((us.balance(&from).await, us.balance(&to).await), ("0.00".into(), "10.00".into()));
}
