//! Comments: appended to the newest note, by sender and receiver.

use daybook_tests::app::TestApp;
use daybook_tests::bodies::transfer;
use serde_json::{Value, json};

use super::{own, statuses};

#[tokio::test]
async fn comment_is_appended_to_the_newest_note() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let mut body = transfer(&to, "1");
    body["extra"]["process_on"] = json!(1);
    let made = us.transfer(&from, &body).send().await.ok();
    let id = made["_id"].as_str().expect("an id");
    let comment = async |node: &str, id: &str, text: &str| {
        let call = us.call("PATCH", &format!("/nodes/{node}/trans/{id}"));
        call.json(&json!({"comment": text})).send().await
    };
    let note = |body: &Value| body["recent_status"]["note"].as_str().expect("text").to_owned();
    let first = comment(&from, id, "Pizza \u{1f355}").await.ok();
    assert_eq!(note(&first), "Transaction Created. Pizza \u{1f355}");
    assert_eq!((&first["recent_status"], statuses(&first)), (&first["timeline"][0], vec!["CREATED"]));
    let second = comment(&to, id, "and wine").await.ok();
    assert_eq!(note(&second), "Transaction Created. Pizza \u{1f355} and wine");
    assert_eq!(us.get_transaction(&from, id).await.ok()["timeline"], second["timeline"]);

    let quick = us.sent(&from, &to, "1").await;
    let settled = us.when(&from, &quick, "SETTLED").await.ok();
    let commented = comment(&from, &quick, "late").await.ok();
    assert_eq!(note(&commented), format!("{} late", note(&settled)));
    assert_eq!(commented["timeline"][0], settled["timeline"][0]);
    assert_eq!(commented["timeline"][3], commented["recent_status"]);

    for wrong in [
        json!({}),
        json!({"comment": null}),
        json!({"comment": ""}),
        json!({"comment": 7}),
        json!({"comment": "x".repeat(1_001)}),
    ] {
        let call = us.call("PATCH", &format!("/nodes/{from}/trans/{id}"));
        assert_eq!(call.json(&wrong).send().await.refused(400, "200")["field"], "comment", "{wrong}");
    }
    let elsewhere = us.node("DEPOSIT-US").await;
    comment(&elsewhere, id, "x").await.refused(404, "404");
    comment(&from, "00000000000000000000000000", "x").await.refused(404, "404");
}

#[tokio::test]
async fn comment_ignores_the_idempotency_key() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let mut body = transfer(&to, "1");
    body["extra"]["process_on"] = json!(1);
    let made = us.transfer(&from, &body).send().await.ok();
    let path = format!("/nodes/{from}/trans/{}", made["_id"].as_str().expect("an id"));
    for expected in ["Transaction Created. x", "Transaction Created. x x"] {
        let commented = us.call("PATCH", &path).key("k1").json(&json!({"comment": "x"})).send().await.ok();
        assert_eq!(commented["recent_status"]["note"], expected);
    }
}
