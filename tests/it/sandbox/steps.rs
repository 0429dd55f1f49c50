//! Steps of a transaction, made on request.

use std::time::Duration;

use daybook_tests::app::TestApp;
use daybook_tests::client::Session;
use serde_json::{Value, json};

/// Returns a service in which no transaction settles by itself during the test, and a transaction of 10.00 in it.
async fn world() -> (TestApp, Session, String, String) {
    let app = TestApp::settling_after(Duration::from_mins(15)).await;
    let us = app.client.own_session().await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let id = us.sent(&from, &to, "10").await;
    (app, us, from, id)
}

fn newest(transaction: &Value) -> (&Value, &Value) {
    let status = &transaction["recent_status"];
    (&status["status"], &status["simulated"])
}

#[tokio::test]
async fn process_makes_one_step_per_call() {
    let (app, us, from, id) = world().await;
    for status in ["PROCESSING-DEBIT", "PROCESSING-CREDIT", "SETTLED"] {
        let stepped = app.client.simulate(&id, "process", &json!({})).await.ok();
        assert_eq!(newest(&stepped), (&json!(status), &json!(true)));
        assert_eq!(us.get_transaction(&from, &id).await.ok(), stepped);
    }
    let error = app.client.simulate(&id, "process", &json!({})).await.refused(400, "410");
    assert_eq!(error["code"], "no_next_step");
}

#[tokio::test]
async fn settle_makes_all_remaining_steps() {
    for taken in 0..3 {
        let (app, us, from, id) = world().await;
        for _ in 0..taken {
            let _ = app.client.simulate(&id, "process", &json!({})).await.ok();
        }
        let call = app.client.call("POST", &format!("/sandbox/trans/{id}/settle")).key("k1").json(&json!({}));
        let settled = call.clone().send().await.ok();
        assert_eq!(newest(&settled), (&json!("SETTLED"), &json!(true)));
        assert_eq!(settled["timeline"].as_array().map(Vec::len), Some(4));
        assert_eq!(us.numbers(&from).await, "0.00 0.00 0.00 0.00");
        assert_eq!(call.send().await.refused(409, "400")["original_id"], json!(id));
        let error = app.client.simulate(&id, "settle", &json!({})).await.refused(400, "410");
        assert_eq!(error["code"], "no_next_step");
    }
}

#[tokio::test]
async fn step_that_cancels_transaction_is_no_error() {
    let (app, us, from, _) = world().await;
    let to = us.node("DEPOSIT-US").await;
    // The whole balance is held for the first transaction.
    let id = us.sent(&from, &to, "0.01").await;
    let ended = app.client.simulate(&id, "settle", &json!({})).await.ok();
    assert_eq!(newest(&ended), (&json!("CANCELED"), &json!(true)));
    let note = ended["recent_status"]["note"].as_str().expect("text");
    assert!(note.contains("insufficient_funds: needed 0.01, available 0.00, held 10.00 USD"), "{note}");
}

#[tokio::test]
async fn queued_transaction_takes_no_step() {
    let (app, _, _, id) = world().await;
    let _ = app.client.simulate(&id, "queue", &json!({"code": "Q10"})).await.ok();
    for what in ["process", "settle"] {
        let error = app.client.simulate(&id, what, &json!({})).await.refused(400, "410");
        assert_eq!(error["code"], "no_next_step", "{what}");
    }
}

#[tokio::test]
async fn malformed_step_body_is_refused() {
    let (app, us, from, id) = world().await;
    let table = [
        ("queue", json!({"code": "Q06"}), "code"),
        ("queue", json!({"code": 10}), "code"),
        ("return", json!({}), "code"),
        ("return", json!({"code": "R99"}), "code"),
        ("return", json!({"code": "R01", "leg": "both"}), "leg"),
    ];
    for (what, body, field) in table {
        let error = app.client.simulate(&id, what, &body).await.refused(400, "200");
        assert_eq!(error["field"], field, "{body}");
    }
    assert_eq!(us.get_transaction(&from, &id).await.ok()["timeline"].as_array().map(Vec::len), Some(1));
}
