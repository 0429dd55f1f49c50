//! Held back: it waits, its money stays promised, and it goes on by itself when the cause is gone.

use daybook_tests::app::TestApp;
use daybook_tests::bodies::{person_with, transfer};
use daybook_tests::client::{Session, until};
use serde_json::{Value, json};

use super::{Flow, own, statuses};
use crate::watching::metrics::shown;

const DAY_S: i64 = 86_400;

/// A user whom no identity check will ever let send.
async fn unverified(app: &TestApp, name: &str) -> Session {
    let body = person_with(name, &json!([{"document_type": "SSN", "document_value": "1111"}]));
    let made = app.client.create_user(&body).await.ok();
    let id = made["_id"].as_str().expect("an id");
    app.client.reviewed(id).await;
    app.client.session(id).await
}

async fn created(session: &Session, from: &str, to: &str) -> String {
    let made = session.transfer(from, &transfer(to, "10.00")).send().await.ok();
    // Whatever screening found.
    assert_eq!(statuses(&made), ["CREATED"]);
    made["_id"].as_str().expect("an id").to_owned()
}

fn note(transaction: &Value) -> &str {
    transaction["recent_status"]["note"].as_str().expect("text")
}

#[tokio::test]
async fn a_sender_who_is_not_verified_waits_and_goes_on_when_it_is() {
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
async fn verified_receivers_wait_as_senders() {
    let app = TestApp::start().await;
    let (eve, ada) = (unverified(&app, "Eve").await, app.client.verified("Ada").await);
    let _ = app.client.verify(&eve.user_id, "RECEIVE").await.ok();
    let (from, to) = (eve.funded("25.00").await, ada.node("DEPOSIT-US").await);
    let id = created(&eve, &from, &to).await;
    let queued = eve.get_transaction(&from, &id).await.ok();
    assert_eq!(note(&queued), "Transaction queued by ledger. Q06: the sender lacks the permission to send.");
}

#[tokio::test]
async fn a_receiver_who_is_not_verified_is_waited_for() {
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
async fn who_may_only_receive_sends_to_the_platform_alone() {
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
async fn whoever_finds_it_risky_can_let_it_go_on() {
    let flow = Flow::new("DEPOSIT-US", "DEPOSIT-US").await;
    let queued = flow.simulate("queue", &json!({"code": "Q10"})).await;
    assert_eq!(note(&queued), "Transaction queued by ledger. Q10: somebody found it risky.");
    assert_eq!(queued["recent_status"]["simulated"], true);
    // A second reason is added to the first; the same once more says nothing new.
    let queued = flow.simulate("queue", &json!({"code": "Q46"})).await;
    let both =
        "Transaction queued by ledger. Q10: somebody found it risky. Q46: the sender is not authorised.";
    assert_eq!(note(&queued), both);
    let again = flow.simulate("queue", &json!({"code": "Q46"})).await;
    assert_eq!(again, queued);
    assert_eq!(flow.numbers(&flow.from).await, "100.00 10.00 90.00 0.00");
    // Time alone moves it nowhere.
    let _ = flow.app.client.advance(DAY_S).await.ok();
    let released = flow.simulate("release", &json!({})).await;
    assert_eq!(statuses(&released), ["CREATED", "QUEUED-BY-LEDGER", "QUEUED-BY-LEDGER", "CREATED"]);
    flow.us.when(&flow.from, &flow.id, "SETTLED").await;
    assert_eq!(flow.numbers(&flow.to).await, "9.00 0.00 9.00 0.00");
}

#[tokio::test]
async fn a_cause_that_still_stands_cannot_be_waved_away() {
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
async fn after_fourteen_days_it_ends_and_the_money_is_free() {
    let flow = Flow::new("DEPOSIT-US", "DEPOSIT-US").await;
    let _ = flow.simulate("queue", &json!({"code": "Q47"})).await;
    let _ = flow.app.client.advance(14 * DAY_S - 60).await.ok();
    assert_eq!(flow.now().await["recent_status"]["status"], "QUEUED-BY-LEDGER");
    assert_eq!(flow.numbers(&flow.from).await, "100.00 10.00 90.00 0.00");
    let _ = flow.app.client.advance(60).await.ok();
    // What is due by then is done when the call is answered.
    let canceled = flow.now().await;
    assert_eq!(canceled["recent_status"]["status"], "CANCELED");
    assert_eq!(note(&canceled), "Transaction Canceled. queue_expired: it was held back for 14 days.");
    assert_eq!(flow.numbers(&flow.from).await, "100.00 0.00 100.00 0.00");
}

/// Its sender may receive by now, and it is looked at in vain; its end comes on its day all the same.
#[tokio::test]
async fn a_look_in_vain_delays_no_end() {
    let app = TestApp::start().await;
    let (eve, ada) = (unverified(&app, "Eve").await, app.client.verified("Ada").await);
    let (from, to) = (eve.funded("25.00").await, ada.node("DEPOSIT-US").await);
    let id = created(&eve, &from, &to).await;
    let _ = app.client.verify(&eve.user_id, "RECEIVE").await.ok();
    // The pause after the second look is two seconds.
    let looked = "daybook_todos_done_total{process=\"release\",outcome=\"waiting\"} 2";
    until("it was looked at twice", async || shown(&app).await.contains(looked).then_some(())).await;
    let _ = app.client.advance(14 * DAY_S).await.ok();
    let canceled = eve.get_transaction(&from, &id).await.ok();
    assert_eq!(note(&canceled), "Transaction Canceled. queue_expired: it was held back for 14 days.");
    assert_eq!(eve.numbers(&from).await, "25.00 0.00 25.00 0.00");
}

#[tokio::test]
async fn only_what_has_not_begun_is_held_back_and_only_that_is_released() {
    let flow = Flow::after(1, "DEPOSIT-US", "DEPOSIT-US").await;
    let code = async |what: &str| {
        let answer = flow.app.client.simulate(&flow.id, what, &json!({})).await;
        answer.refused(400, "410")["code"].clone()
    };
    assert_eq!(code("queue").await, "cannot_queue_transaction");
    assert_eq!(code("release").await, "transaction_not_queued");
}
