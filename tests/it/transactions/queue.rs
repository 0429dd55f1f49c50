//! Queued transactions: they wait with their money held, and are released when the cause ends.

use daybook_tests::app::TestApp;
use daybook_tests::bodies::{person_with, transfer};
use daybook_tests::client::{Session, until};
use serde_json::{Value, json};

use super::{Flow, own, statuses};
use crate::watching::metrics::shown;

const DAY_S: i64 = 86_400;

/// Returns a user that the identity check refuses.
async fn unverified(app: &TestApp, name: &str) -> Session {
    let body = person_with(name, &json!([{"document_type": "SSN", "document_value": "1111"}]));
    let made = app.client.create_user(&body).await.ok();
    let id = made["_id"].as_str().expect("an id");
    app.client.reviewed(id).await;
    app.client.session(id).await
}

async fn created(session: &Session, from: &str, to: &str) -> String {
    let made = session.transfer(from, &transfer(to, "10.00")).send().await.ok();
    // The creating call always answers CREATED, also if screening queues the transaction.
    assert_eq!(statuses(&made), ["CREATED"]);
    made["_id"].as_str().expect("an id").to_owned()
}

fn note(transaction: &Value) -> &str {
    transaction["recent_status"]["note"].as_str().expect("text")
}

#[tokio::test]
async fn unverified_sender_waits_until_verified() {
    let app = TestApp::start().await;
    let (eve, us) = (unverified(&app, "Eve").await, own(&app).await);
    let (from, to) = (eve.funded("25.00").await, us.node("DEPOSIT-US").await);
    let id = created(&eve, &from, &to).await;
    let queued = eve.get_transaction(&from, &id).await.ok();
    assert_eq!(statuses(&queued), ["CREATED", "QUEUED-BY-LEDGER"]);
    assert_eq!(queued["recent_status"]["status_id"], "-1");
    assert_eq!(note(&queued), "Transaction queued by ledger. Q06: the sender lacks the permission to send.");
    assert_eq!(eve.numbers(&from).await, "25.00 10.00 15.00 0.00");

    let _ = app.client.verify(&eve.user_id, "SEND-AND-RECEIVE").await.ok();
    let settled = eve.when(&from, &id, "SETTLED").await.ok();
    let expected =
        ["CREATED", "QUEUED-BY-LEDGER", "CREATED", "PROCESSING-DEBIT", "PROCESSING-CREDIT", "SETTLED"];
    assert_eq!(statuses(&settled), expected);
    assert_eq!(settled["timeline"][2]["note"], "Transaction Released.");
    assert_eq!((eve.balance(&from).await, us.balance(&to).await), ("15.00".into(), "10.00".into()));
}

#[tokio::test]
async fn receive_only_sender_is_queued() {
    let app = TestApp::start().await;
    let (eve, ada) = (unverified(&app, "Eve").await, app.client.verified("Ada").await);
    let _ = app.client.verify(&eve.user_id, "RECEIVE").await.ok();
    let (from, to) = (eve.funded("25.00").await, ada.node("DEPOSIT-US").await);
    let id = created(&eve, &from, &to).await;
    let queued = eve.get_transaction(&from, &id).await.ok();
    assert_eq!(note(&queued), "Transaction queued by ledger. Q06: the sender lacks the permission to send.");
}

#[tokio::test]
async fn payment_waits_for_unverified_receiver() {
    let app = TestApp::start().await;
    let (eve, us) = (unverified(&app, "Eve").await, own(&app).await);
    let (from, to) = (us.funded("25.00").await, eve.node("DEPOSIT-US").await);
    let id = created(&us, &from, &to).await;
    let queued = us.get_transaction(&from, &id).await.ok();
    assert_eq!(
        note(&queued),
        "Transaction queued by ledger. Q07: the receiver lacks the permission to receive."
    );
    let _ = app.client.verify(&eve.user_id, "RECEIVE").await.ok();
    us.when(&from, &id, "SETTLED").await;
    assert_eq!(eve.balance(&to).await, "10.00");
}

#[tokio::test]
async fn receive_only_user_pays_only_the_platform() {
    let app = TestApp::start().await;
    let (eve, ada, us) = (unverified(&app, "Eve").await, unverified(&app, "Ada").await, own(&app).await);
    let _ = app.client.verify(&eve.user_id, "RECEIVE").await.ok();
    let _ = app.client.verify(&ada.user_id, "RECEIVE").await.ok();
    let from = eve.funded("20.00").await;
    let (theirs, ours) = (ada.node("DEPOSIT-US").await, us.node("DEPOSIT-US").await);
    let held_back = created(&eve, &from, &theirs).await;
    let goes = created(&eve, &from, &ours).await;
    eve.when(&from, &goes, "SETTLED").await;
    let queued = eve.get_transaction(&from, &held_back).await.ok();
    assert_eq!(queued["recent_status"]["status"], "QUEUED-BY-LEDGER");
}

#[tokio::test]
async fn risk_queue_can_be_released() {
    let flow = Flow::new("DEPOSIT-US", "DEPOSIT-US").await;
    let queued = flow.simulate("queue", &json!({"code": "Q10"})).await;
    assert_eq!(note(&queued), "Transaction queued by ledger. Q10: somebody found it risky.");
    assert_eq!(queued["recent_status"]["simulated"], true);
    // A second reason is added to the first. A repeated reason changes nothing.
    let queued = flow.simulate("queue", &json!({"code": "Q46"})).await;
    let both =
        "Transaction queued by ledger. Q10: somebody found it risky. Q46: the sender is not authorised.";
    assert_eq!(note(&queued), both);
    let again = flow.simulate("queue", &json!({"code": "Q46"})).await;
    assert_eq!(again, queued);
    assert_eq!(flow.numbers(&flow.from).await, "100.00 10.00 90.00 0.00");
    // The passing of time does not release it.
    let _ = flow.app.client.advance(DAY_S).await.ok();
    let released = flow.simulate("release", &json!({})).await;
    assert_eq!(statuses(&released), ["CREATED", "QUEUED-BY-LEDGER", "QUEUED-BY-LEDGER", "CREATED"]);
    flow.us.when(&flow.from, &flow.id, "SETTLED").await;
    assert_eq!(flow.numbers(&flow.to).await, "9.00 0.00 9.00 0.00");
}

#[tokio::test]
async fn blocked_transaction_cannot_be_released() {
    let app = TestApp::start().await;
    let (eve, us) = (unverified(&app, "Eve").await, own(&app).await);
    let (from, to) = (eve.funded("25.00").await, us.node("DEPOSIT-US").await);
    let id = created(&eve, &from, &to).await;
    let error = app.client.simulate(&id, "release", &json!({})).await.refused(400, "410");
    assert_eq!(error["code"], "transaction_still_blocked");
    let status = eve.get_transaction(&from, &id).await.ok()["recent_status"]["status"].clone();
    assert_eq!(status, "QUEUED-BY-LEDGER");
}

#[tokio::test]
async fn queued_transaction_expires_after_fourteen_days() {
    let flow = Flow::new("DEPOSIT-US", "DEPOSIT-US").await;
    let _ = flow.simulate("queue", &json!({"code": "Q47"})).await;
    let _ = flow.app.client.advance(14 * DAY_S - 60).await.ok();
    assert_eq!(flow.now().await["recent_status"]["status"], "QUEUED-BY-LEDGER");
    assert_eq!(flow.numbers(&flow.from).await, "100.00 10.00 90.00 0.00");
    let _ = flow.app.client.advance(60).await.ok();
    // Due steps are executed before the call that advances the clock is answered.
    let canceled = flow.now().await;
    assert_eq!(canceled["recent_status"]["status"], "CANCELED");
    assert_eq!(note(&canceled), "Transaction Canceled. queue_expired: it was held back for 14 days.");
    assert_eq!(flow.numbers(&flow.from).await, "100.00 0.00 100.00 0.00");
}

/// The sender may receive by then, so the release is attempted without success. The transaction still expires on time.
#[tokio::test]
async fn failed_release_attempt_delays_no_expiry() {
    let app = TestApp::start().await;
    let (eve, ada) = (unverified(&app, "Eve").await, app.client.verified("Ada").await);
    let (from, to) = (eve.funded("25.00").await, ada.node("DEPOSIT-US").await);
    let id = created(&eve, &from, &to).await;
    let _ = app.client.verify(&eve.user_id, "RECEIVE").await.ok();
    // The backoff after the second attempt is two seconds.
    let looked = "daybook_todos_done_total{process=\"release\",outcome=\"waiting\"} 2";
    until("it was looked at twice", async || shown(&app).await.contains(looked).then_some(())).await;
    let _ = app.client.advance(14 * DAY_S).await.ok();
    let canceled = eve.get_transaction(&from, &id).await.ok();
    assert_eq!(note(&canceled), "Transaction Canceled. queue_expired: it was held back for 14 days.");
    assert_eq!(eve.numbers(&from).await, "25.00 0.00 25.00 0.00");
}

#[tokio::test]
async fn only_unprocessed_transactions_are_queued_or_released() {
    let flow = Flow::after(1, "DEPOSIT-US", "DEPOSIT-US").await;
    let code = async |what: &str| {
        let answer = flow.app.client.simulate(&flow.id, what, &json!({})).await;
        answer.refused(400, "410")["code"].clone()
    };
    assert_eq!(code("queue").await, "cannot_queue_transaction");
    assert_eq!(code("release").await, "transaction_not_queued");
}
