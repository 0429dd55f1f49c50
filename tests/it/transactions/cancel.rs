//! Cancel: by the sender or the platform, before money has left. Every cent is released.

use daybook_tests::app::TestApp;
use serde_json::{Value, json};

use super::{Flow, own, statuses};

const BACK: &str = "100.00 0.00 100.00 0.00";

fn note(transaction: &Value) -> &str {
    transaction["recent_status"]["note"].as_str().expect("text")
}

#[tokio::test]
async fn canceled_transaction_releases_its_hold() {
    let flow = Flow::new("DEPOSIT-US", "DEPOSIT-US").await;
    let canceled = flow.us.cancel(&flow.from, &flow.id).send().await.ok();
    assert_eq!(statuses(&canceled), ["CREATED", "CANCELED"]);
    assert_eq!(canceled["recent_status"]["status_id"], "5");
    assert_eq!(note(&canceled), "Transaction Canceled. canceled_by_user: the sender asked for it.");
    assert_eq!(flow.numbers(&flow.from).await, BACK);
    assert_eq!(flow.us.entries(&flow.from).await[1..], ["0.00 10.00 0.00", "0.00 -10.00 0.00"]);
    // A second cancel changes nothing and is refused, by the user's path and by the sandbox's.
    let nothing = json!({});
    let again = [
        flow.us.cancel(&flow.from, &flow.id).send().await,
        flow.app.client.simulate(&flow.id, "cancel", &nothing).await,
    ];
    for again in again {
        assert_eq!(again.refused(400, "410")["code"], "cannot_cancel_transaction");
    }
    assert_eq!(flow.now().await, canceled);
    // The due time passes without effect.
    let _ = flow.app.client.advance(3_600).await.ok();
    let error = flow.app.client.simulate(&flow.id, "process", &json!({})).await.refused(400, "410");
    assert_eq!(error["code"], "no_next_step");
    assert_eq!(flow.now().await, canceled);
}

#[tokio::test]
async fn queued_transaction_can_be_canceled() {
    let flow = Flow::new("DEPOSIT-US", "DEPOSIT-US").await;
    let _ = flow.simulate("queue", &json!({})).await;
    let canceled = flow.us.cancel(&flow.from, &flow.id).send().await.ok();
    assert_eq!(statuses(&canceled), ["CREATED", "QUEUED-BY-LEDGER", "CANCELED"]);
    assert_eq!(flow.numbers(&flow.from).await, BACK);
}

#[tokio::test]
async fn push_waiting_for_file_can_be_canceled() {
    for from in ["DEPOSIT-US", "ACH-US"] {
        let flow = Flow::after(1, from, "ACH-US").await;
        let canceled = flow.us.cancel(&flow.from, &flow.id).send().await.ok();
        assert_eq!(statuses(&canceled), ["CREATED", "PROCESSING-DEBIT", "CANCELED"], "{from}");
        if from == "DEPOSIT-US" {
            assert_eq!(flow.numbers(&flow.from).await, BACK);
        }
        assert_eq!(flow.numbers(&flow.fees).await, "0.00 0.00 0.00 0.00");
    }
}

#[tokio::test]
async fn processed_transaction_cannot_be_canceled() {
    let cases = [
        (1, "DEPOSIT-US", "DEPOSIT-US"),
        (1, "DEPOSIT-US", "WIRE-US"),
        (1, "DEPOSIT-US", "CHECK-US"),
        (2, "DEPOSIT-US", "ACH-US"),
        (2, "ACH-US", "DEPOSIT-US"),
        (3, "DEPOSIT-US", "DEPOSIT-US"),
    ];
    for (steps, from, to) in cases {
        let flow = Flow::after(steps, from, to).await;
        let before = flow.now().await;
        let error = flow.us.cancel(&flow.from, &flow.id).send().await.refused(400, "410");
        assert_eq!(error["code"], "cannot_cancel_transaction", "{from} to {to} after {steps}");
        let error = flow.app.client.simulate(&flow.id, "cancel", &json!({})).await.refused(400, "410");
        assert_eq!(error["code"], "cannot_cancel_transaction", "{from} to {to} after {steps}");
        assert_eq!(flow.now().await, before);
        let _ = flow.simulate("return", &json!({"code": "R03"})).await;
        let error = flow.us.cancel(&flow.from, &flow.id).send().await.refused(400, "410");
        assert_eq!(error["code"], "cannot_cancel_transaction");
    }
}

#[tokio::test]
async fn only_the_sender_can_cancel_a_transaction() {
    let app = super::still().await;
    let (us, ada, bob) =
        (own(&app).await, app.client.verified("Ada").await, app.client.stranger("Bob").await);
    let (from, to) = (us.funded("10").await, ada.node("DEPOSIT-US").await);
    let id = us.sent(&from, &to, "1").await;
    let error = ada.cancel(&to, &id).send().await.refused(400, "410");
    assert_eq!(error["code"], "cannot_cancel_transaction");
    ada.cancel(&from, &id).send().await.refused(404, "404");
    us.cancel(&to, &id).send().await.refused(404, "404");
    us.cancel(&us.node("DEPOSIT-US").await, &id).send().await.refused(404, "404");
    bob.cancel(&bob.node("DEPOSIT-US").await, &id).send().await.refused(404, "404");
    us.cancel(&from, "00000000000000000000000000").send().await.refused(404, "404");
    assert_eq!(statuses(&us.get_transaction(&from, &id).await.ok()), ["CREATED"]);
    // The receiving node's path does not cancel, even if the sender owns both nodes.
    let mine = us.node("DEPOSIT-US").await;
    let id = us.sent(&from, &mine, "1").await;
    us.cancel(&mine, &id).send().await.refused(400, "410");
}

#[tokio::test]
async fn sandbox_platform_can_cancel_a_transaction() {
    let flow = Flow::new("DEPOSIT-US", "DEPOSIT-US").await;
    let canceled = flow.simulate("cancel", &json!({})).await;
    assert_eq!(note(&canceled), "Transaction Canceled. canceled_by_platform: the platform asked for it.");
    assert_eq!(flow.numbers(&flow.from).await, BACK);
}

#[tokio::test]
async fn concurrent_cancel_and_settlement_exclude_each_other() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    for _ in 0..10 {
        let id = us.sent(&from, &to, "1").await;
        let nothing = json!({});
        let step = app.client.simulate(&id, "process", &nothing);
        let (canceled, _) = tokio::join!(us.cancel(&from, &id).send(), step);
        let (end, other) =
            if canceled.status == 200 { ("CANCELED", "SETTLED") } else { ("SETTLED", "CANCELED") };
        let ended = us.when(&from, &id, end).await.ok();
        assert!(!statuses(&ended).contains(&other), "{ended}");
    }
    let (left, given) = (us.balance(&from).await, us.balance(&to).await);
    let dollars = |text: &str| text.trim_end_matches(".00").parse::<i32>().expect("whole dollars");
    assert_eq!(dollars(&left) + dollars(&given), 10);
}
