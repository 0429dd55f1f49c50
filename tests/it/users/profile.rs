//! Profile of a user: entries are added and removed, and concurrent changes are all kept.

use std::collections::BTreeSet;

use daybook_tests::app::TestApp;
use daybook_tests::bodies::{node, transfer};
use futures::future::join_all;
use serde_json::{Value, json};

use super::Patch;

#[tokio::test]
async fn profile_update_returns_the_whole_user() {
    let app = TestApp::start().await;
    let ada = app.client.verified("Ada").await;
    let before = app.client.user(&ada.user_id).await;
    let update = json!({
        "login": {"email": "second@example.com", "password": "letmein", "read_only": true},
        "phone_number": "415-555-5555", "legal_name": "Ada King", "cip_tag": 3,
    });
    let body = json!({"refresh_token": before["refresh_token"], "update": update});
    let after = ada.patch(&body).await.ok();
    assert_eq!(after["logins"][1], json!({"email": "second@example.com", "scope": "READ"}));
    assert_eq!(after["phone_numbers"][1], "415-555-5555");
    assert_eq!(after["legal_names"], json!(["Ada", "Ada King"]));
    assert_eq!(after["extra"]["cip_tag"], 3);
    assert_eq!(after["permission"], "SEND-AND-RECEIVE");
    assert!(after["extra"]["last_updated"].as_i64() > before["extra"]["last_updated"].as_i64());
    assert_eq!(app.client.user(&ada.user_id).await, after);
    let update = json!({"remove_login": {"email": "second@example.com"}, "remove_legal_name": "Ada King"});
    let after = ada.patch(&json!({ "update": update })).await.ok();
    assert_eq!((after["logins"].as_array().map(Vec::len), &after["legal_names"]), (Some(1), &json!(["Ada"])));
}

#[tokio::test]
async fn concurrent_profile_changes_are_all_kept() {
    let app = TestApp::start().await;
    let ada = &app.client.stranger("Ada").await;
    let names: Vec<String> = (0..6).map(|index| format!("Name {index}")).collect();
    let changes = names
        .iter()
        .map(|name| async move { ada.patch(&json!({"update": {"legal_name": name}})).await.ok() });
    join_all(changes.collect::<Vec<_>>()).await;
    let after = app.client.user(&ada.user_id).await;
    let told: BTreeSet<_> =
        after["legal_names"].as_array().expect("names").iter().map(Value::to_string).collect();
    assert_eq!(told.len(), 7, "{after}");
}

#[tokio::test]
async fn invalid_profile_change_changes_nothing() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let before = app.client.user(&ada.user_id).await;
    let table = [
        (json!({}), 400, "200"),
        (json!({"update": {"remove_legal_name": "Ada"}}), 400, "200"),
        (json!({"update": {"legal_name": "a\0b"}}), 400, "200"),
        (json!({"update": {"legal_name": "x"}, "refresh_token": "refresh_x"}), 409, "400"),
        (json!({"update": {"legal_name": "x"}, "refresh_token": ""}), 409, "400"),
        (json!({"documents": [{"id": "ab".repeat(32)}]}), 404, "404"),
        (json!({"permission": "SEND-AND-RECEIVE"}), 400, "200"),
        (json!({"permission": "UNVERIFIED", "update": {"legal_name": "x".repeat(1_001)}}), 400, "200"),
    ];
    for (body, status, code) in table {
        ada.patch(&body).await.refused(status, code);
    }
    assert_eq!(app.client.user(&ada.user_id).await["legal_names"], before["legal_names"]);
}

#[tokio::test]
async fn new_legal_name_is_used_everywhere() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let update = json!({"legal_name": "Countess of Lovelace", "remove_legal_name": "Ada"});
    ada.patch(&json!({ "update": update })).await.ok();
    let made = ada.create_node(&node("DEPOSIT-US")).await.ok();
    assert_eq!(made["nodes"][0]["info"]["name_on_account"], "Countess of Lovelace");
    let (from, to) =
        (made["nodes"][0]["_id"].as_str().expect("an id").to_owned(), ada.node("DEPOSIT-US").await);
    let paid = ada.transfer(&from, &transfer(&to, "1")).send().await.ok();
    assert_eq!(paid["from"]["user"]["legal_names"], json!(["Countess of Lovelace"]));
}

#[tokio::test]
async fn user_cannot_change_another_user() {
    let app = TestApp::start().await;
    let (ada, eve) = (app.client.stranger("Ada").await, app.client.stranger("Eve").await);
    let body = json!({"update": {"legal_name": "Mine"}});
    eve.call_at("PATCH", &format!("/users/{}", ada.user_id)).json(&body).send().await.refused(404, "404");
    let call = app.client.call("PATCH", &format!("/users/{}", ada.user_id)).json(&body);
    call.send().await.refused(401, "300");
}
