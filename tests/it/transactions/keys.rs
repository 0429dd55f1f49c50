//! Idempotency keys: a request is executed once, and the conflict answer names the transaction that it created.

use daybook_tests::app::TestApp;
use daybook_tests::bodies::transfer;
use futures::future::join_all;
use serde_json::json;

use super::{own, trans_count};

#[tokio::test]
async fn used_key_conflict_names_original_transaction() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let send =
        async |key: &str, amount: &str| us.transfer(&from, &transfer(&to, amount)).key(key).send().await;
    let before = trans_count(&us).await;
    // A refused request leaves its key unused.
    send("k1", "-1").await.refused(400, "200");
    us.transfer(&from, &transfer("00000000000000000000000000", "1"))
        .key("k1")
        .send()
        .await
        .refused(404, "404");
    let made = send("k1", "1").await.ok();
    for (amount, same) in [("1", true), ("2", false), ("1.0", false), ("1", true)] {
        let error = send("k1", amount).await.refused(409, "400");
        assert_eq!((&error["original_id"], &error["same_payload"]), (&made["_id"], &json!(same)), "{amount}");
        assert_eq!(error["code"], "idempotency_key_used");
    }
    // A malformed request is refused before its key is considered.
    send("k1", "0").await.refused(400, "200");
    let _ = send("K1", "1").await.ok();
    for lost in ["", " "] {
        assert_eq!(send(lost, "1").await.refused(400, "200")["field"], "X-SP-IDEMPOTENCY-KEY", "{lost:?}");
    }
    assert_eq!(trans_count(&us).await, before + 2);
}

#[tokio::test]
async fn key_is_scoped_to_user_and_path() {
    let app = TestApp::start().await;
    let (us, ada) = (own(&app).await, app.client.verified("Ada").await);
    let (from, other, to) = (us.funded("10").await, us.funded("10").await, us.node("DEPOSIT-US").await);
    let adas = ada.funded("10").await;
    let body = transfer(&to, "1");
    let _ = us.transfer(&from, &body).key("k1").send().await.ok();
    let _ = us.transfer(&other, &body).key("k1").send().await.ok();
    let _ = ada.transfer(&adas, &body).key("k1").send().await.ok();
    for (session, node) in [(&us, &from), (&us, &other), (&ada, &adas)] {
        session.transfer(node, &body).key("k1").send().await.refused(409, "400");
    }
}

#[tokio::test]
async fn key_ignores_the_spelling_of_its_path() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let send = async |user: &str, from: &str| {
        let call = us.call_at("POST", &format!("/users/{user}/nodes/{from}/trans"));
        call.key("k1").json(&transfer(&to, "1")).send().await
    };
    let made = send(&us.user_id, &from).await.ok();
    let (lower, encoded) = (from.to_lowercase(), format!("%{:02X}{}", from.as_bytes()[0], &from[1..]));
    for (user, from) in [(&us.user_id, &lower), (&us.user_id, &encoded), (&us.user_id.to_lowercase(), &from)]
    {
        let answer = send(user, from).await;
        // Another spelling of an id may be invalid. If it is valid, the request is the same.
        assert_ne!(answer.status, 200, "{user} {from}: paid twice");
        if answer.status != 404 {
            assert_eq!(answer.refused(409, "400")["original_id"], made["_id"]);
        }
    }
}

#[tokio::test]
async fn concurrent_requests_with_one_key_execute_once() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("100").await, us.node("DEPOSIT-US").await);
    let before = trans_count(&us).await;
    let body = transfer(&to, "1");
    let answers = join_all((0..32).map(|_| us.transfer(&from, &body).key("k1").send())).await;
    let (done, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 200);
    assert_eq!((done.len(), refused.len()), (1, 31));
    let id = done[0].ok()["_id"].clone();
    for answer in refused {
        assert_eq!(answer.refused(409, "400")["original_id"], id);
    }
    assert_eq!(trans_count(&us).await, before + 1);
}
