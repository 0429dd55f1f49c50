//! Responses about an erased user: its personal data is absent, and nothing further can be recorded about it.

use daybook_tests::bodies::transfer;
use daybook_tests::client::{DEVICE, Session};
use daybook_tests::http::Answer;
use daybook_tests::shard;
use serde_json::{Value, json};

use super::{Desk, subject};
use crate::privacy::ways_in::{changes, has_a_subnet, outside, pays, person};

/// A user with all personal fields set that has paid its whole balance to another user; that user and the transaction.
struct Told {
    us: Session,
    other: Session,
    node: String,
    trans: String,
    others_node: String,
}

async fn told(desk: &Desk) -> Told {
    let client = &desk.app.client;
    let made = client.call("POST", "/users").header("X-SP-USER", format!("|{DEVICE}"));
    let made = made.json(&person()).send().await.ok();
    let us = client.session(made["_id"].as_str().expect("an id")).await;
    assert_eq!(client.reviewed(&us.user_id).await["permission"], "SEND-AND-RECEIVE");
    for body in outside() {
        let _ = us.create_node(&body).await.ok();
    }
    let node = pays(&desk.app, &us).await;
    let _ = has_a_subnet(&us, &node).await;
    let other = client.verified("Jose").await;
    let others_node = other.node("DEPOSIT-US").await;
    let mut trans = String::new();
    for found in us.call("GET", "/nodes").send().await.ok()["nodes"].as_array().expect("nodes") {
        let node = found["_id"].as_str().expect("an id");
        let balance = found["info"]["balance"]["amount"].as_f64().unwrap_or_default();
        if balance > 0.0 {
            let body = transfer(&others_node, &balance.to_string());
            let sent = us.transfer(node, &body).send().await.ok();
            sent["_id"].as_str().expect("an id").clone_into(&mut trans);
            us.when(node, &trans, "SETTLED").await;
        }
    }
    // These changes lower the user's permission, so they come after the payment.
    changes(&us, &node).await;
    desk.explained().await;
    Told { us, other, node, trans, others_node }
}

fn assert_silent(answer: &Answer) -> Value {
    let text = answer.text().to_lowercase();
    for canary in ["canary", "maria", "987-65", "555-0142", "10.77.66"] {
        assert!(!text.contains(canary), "{canary}: {text}");
    }
    answer.ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn records_of_erased_user_omit_personal_fields() {
    let desk = Desk::new().await;
    let Told { us, other, node, trans, others_node } = told(&desk).await;
    let client = &desk.app.client;
    let (id, position) = (us.user_id.clone(), desk.app.events().await.len());
    desk.forget(&us).await;

    let user = assert_silent(&client.call("GET", &format!("/users/{id}")).send().await);
    assert_eq!((&user["legal_names"], &user["logins"]), (&json!([]), &json!([])));
    assert_eq!((user["permission"].as_str(), user["refresh_token"].as_str()), (Some("CLOSED"), Some("")));
    for path in [
        format!("/users/{id}?full_dehydrate=yes"),
        format!("/users/{id}?at={position}"),
        "/users".to_owned(),
        "/nodes".to_owned(),
        "/trans".to_owned(),
    ] {
        assert_silent(&client.call("GET", &path).send().await);
    }
    let found = client.call("GET", "/users?query=canary").send().await.ok();
    assert_eq!(found["users_count"], 0);
    assert_silent(&other.get_transaction(&others_node, &trans).await);
    assert_silent(&other.call("GET", &format!("/nodes/{others_node}/trans")).send().await);
    let past = other.call("GET", &format!("/nodes/{others_node}/trans/{trans}?at={position}"));
    assert_silent(&past.send().await);
    assert!(!node.is_empty());
    let vault = desk.app.service.engine.vault();
    let traces = vault.traces(shard(), subject(&id)).await.expect("reads");
    assert_eq!((traces.keys, traces.tokens), (0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn erased_user_cannot_log_in_or_change() {
    let desk = Desk::new().await;
    let Told { us, other, trans, others_node, .. } = told(&desk).await;
    let client = &desk.app.client;
    let token = client.user(&us.user_id).await["refresh_token"].clone();
    desk.forget(&us).await;
    let head = desk.app.events().await.len();

    us.call("GET", "/nodes").send().await.refused(401, "110");
    us.call("GET", "/statements").send().await.refused(401, "110");
    us.call("PATCH", "").json(&json!({"update": {"legal_name": "Maria"}})).send().await.refused(401, "110");
    let login = client.oauth(&us.user_id, &json!({"refresh_token": token, "validation_pin": "123456"})).await;
    login.refused(401, "300");
    let comment = other.call("PATCH", &format!("/nodes/{others_node}/trans/{trans}"));
    comment.json(&json!({"comment": "Maria owes me"})).send().await.refused(401, "300");
    assert_eq!(desk.app.events().await.len(), head);
    let traces = desk.app.service.engine.vault().traces(shard(), subject(&us.user_id)).await.expect("reads");
    assert_eq!((traces.keys, traces.tokens), (0, 0));
}
