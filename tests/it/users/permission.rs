//! Permission of a user: lowered on request, and raised by verification only.

use daybook_tests::app::TestApp;
use daybook_tests::bodies::{node, transfer};
use serde_json::json;

use super::Patch;

#[tokio::test]
async fn locked_user_is_unlocked_by_platform_only() {
    let app = TestApp::start().await;
    let ada = app.client.verified("Ada").await;
    let (from, to) = (ada.funded("10").await, ada.node("DEPOSIT-US").await);
    assert_eq!(ada.patch(&json!({"permission": "LOCKED"})).await.ok()["permission"], "LOCKED");
    let id = ada.sent(&from, &to, "1").await;
    ada.when(&from, &id, "QUEUED-BY-LEDGER").await;
    let up = json!({"permission": "UNVERIFIED"});
    ada.patch(&up).await.refused(400, "410");
    let call = ada.call("PATCH", "").header("X-SP-GATEWAY", app.client.gateway());
    assert_eq!(call.json(&up).send().await.ok()["permission"], "UNVERIFIED");
    app.client.verify(&ada.user_id, "SEND-AND-RECEIVE").await.ok();
    ada.when(&from, &id, "SETTLED").await;
}

#[tokio::test]
async fn closed_user_stays_closed_and_creates_nothing() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.client.verified("Ada").await, app.client.verified("Bob").await);
    let (from, bobs, to) = (ada.funded("10").await, bob.funded("10").await, ada.node("DEPOSIT-US").await);
    assert_eq!(ada.patch(&json!({"permission": "CLOSED"})).await.ok()["permission"], "CLOSED");
    ada.create_node(&node("DEPOSIT-US")).await.refused(401, "300");
    ada.transfer(&from, &transfer(&to, "1")).send().await.refused(401, "300");
    ada.patch(&json!({"update": {"legal_name": "Eve"}})).await.refused(401, "300");
    ada.patch(&json!({"permission": "UNVERIFIED"})).await.refused(401, "300");
    app.client.verify(&ada.user_id, "SEND-AND-RECEIVE").await.refused(401, "300");
    let id = bob.sent(&bobs, &to, "1").await;
    bob.when(&bobs, &id, "CANCELED").await;
    let dummy = ada.call("GET", &format!("/nodes/{from}/dummy-tran?is_credit=YES")).send().await;
    for answer in [app.client.credit(&from, "1").await, app.client.debit(&from, "1").await, dummy] {
        assert_eq!(answer.refused(401, "300")["code"], "user_closed");
    }
    // Its records can still be read.
    assert_eq!(ada.balance(&from).await, "10.00");
}

#[tokio::test]
async fn removed_user_is_in_no_list() {
    let app = TestApp::start().await;
    let ada = app.client.verified("Ada").await;
    let count = async |query: &str| {
        app.client.call("GET", &format!("/users{query}")).send().await.ok()["users_count"].as_u64()
    };
    assert_eq!((count("").await, count("?query=ada").await), (Some(2), Some(1)));
    ada.patch(&json!({"permission": "CLOSED"})).await.ok();
    assert_eq!((count("").await, count("?query=ada").await), (Some(2), Some(1)));
    let gone = ada.patch(&json!({"permission": "MAKE-IT-GO-AWAY"})).await.ok();
    assert_eq!(gone["permission"], "MAKE-IT-GO-AWAY");
    assert_eq!((count("").await, count("?query=ada").await), (Some(1), Some(0)));
    assert_eq!(app.client.user(&ada.user_id).await["permission"], "MAKE-IT-GO-AWAY");
}

#[tokio::test]
async fn own_user_of_platform_cannot_be_closed() {
    let app = TestApp::start().await;
    let own = app.client.own_session().await;
    own.patch(&json!({"permission": "CLOSED"})).await.refused(400, "410");
    assert_eq!(app.client.user(&own.user_id).await["permission"], "SEND-AND-RECEIVE");
}
