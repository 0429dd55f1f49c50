//! Verification on request, independent of the documents.

use daybook_tests::app::TestApp;
use daybook_tests::bodies::person_with;
use serde_json::json;

#[tokio::test]
async fn verify_sets_permission_and_returns_user() {
    let app = TestApp::start().await;
    let body = person_with("Eve", &json!([{"document_type": "SSN", "document_value": "1111"}]));
    let made = app.client.create_user(&body).await.ok();
    let eve = made["_id"].as_str().expect("an id");
    assert_eq!(app.client.reviewed(eve).await["permission"], "UNVERIFIED");
    for permission in ["SEND-AND-RECEIVE", "RECEIVE", "RECEIVE", "UNVERIFIED"] {
        let verified = app.client.verify(eve, permission).await.ok();
        assert_eq!(verified["permission"], permission);
        assert_eq!(app.client.user(eve).await, verified);
    }
}

#[tokio::test]
async fn unverifiable_permission_is_refused() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    for permission in ["LOCKED", "CLOSED", "send-and-receive", ""] {
        let error = app.client.verify(&ada.user_id, permission).await.refused(400, "200");
        assert_eq!(error["field"], "permission", "{permission}");
    }
    let call = app.client.call("POST", &format!("/sandbox/users/{}/verify", ada.user_id));
    assert_eq!(call.json(&json!({})).send().await.refused(400, "200")["field"], "permission");
}
