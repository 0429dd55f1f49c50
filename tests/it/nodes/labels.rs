//! Labels of a node: its nickname, and the platform's own id for it (`supp_id`).

use daybook_domain::{Event, node};
use daybook_tests::app::TestApp;
use daybook_tests::bodies::{self, transfer};
use daybook_tests::client::Session;
use daybook_tests::http::Call;
use futures::future::join_all;
use serde_json::{Value, json};

fn patch(session: &Session, id: &str, body: &Value) -> Call {
    session.call("PATCH", &format!("/nodes/{id}")).json(body)
}

fn notes(node: &Value) -> Vec<&str> {
    let timeline = node["timeline"].as_array().expect("a list");
    timeline.iter().map(|entry| entry["note"].as_str().expect("text")).collect()
}

#[tokio::test]
async fn labels_change_independently_of_each_other() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let id = ada.node("WIRE-US").await;
    let before = ada.get_node(&id).await.ok();
    // Columns: body; nickname and supp_id afterwards; number of timeline notes about supp_id.
    let table = [
        (json!({"nickname": "Ours"}), "Ours", json!(null), 0),
        (json!({"supp_id": "s-1"}), "Ours", json!("s-1"), 1),
        (json!({"supp_id": "s-1", "nickname": "Mine", "unknown": 5}), "Mine", json!("s-1"), 1),
        (json!({"supp_id": "s-2", "nickname": null}), "Mine", json!("s-2"), 2),
        (json!({"supp_id": null}), "Mine", json!(null), 3),
    ];
    for (body, nickname, supp_id, noted) in table {
        let answer = patch(&ada, &id, &body).send().await.ok();
        assert_eq!((&answer["info"]["nickname"], &answer["extra"]["supp_id"]), (&json!(nickname), &supp_id));
        assert_eq!(notes(&answer).iter().filter(|note| **note == "Node supp_id updated.").count(), noted);
        assert_eq!(ada.get_node(&id).await.ok(), answer, "{body}");
        for field in ["account_num", "routing_num", "name_on_account"] {
            assert_eq!(answer["info"][field], before["info"][field], "{body}");
        }
    }
}

#[tokio::test]
async fn unchanged_labels_record_no_event() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let id = ada.node("DEPOSIT-US").await;
    let recorded = async || {
        let is_label = |event: &Event| matches!(event, Event::Node(node::Event::Relabeled(_)));
        app.events().await.iter().filter(|happened| is_label(&happened.event)).count()
    };
    let table = [
        (json!({"nickname": "Ours", "supp_id": "s-1"}), 1),
        (json!({"nickname": "Ours", "supp_id": "s-1"}), 1),
        (json!({"nickname": "Ours"}), 1),
        (json!({"supp_id": "s-1"}), 1),
        (json!({"nickname": "Ours", "supp_id": null}), 2),
        (json!({"supp_id": null}), 2),
    ];
    for (body, count) in table {
        let answer = patch(&ada, &id, &body).send().await;
        assert!(answer.headers.contains_key("x-daybook-position"));
        assert_eq!(
            (answer.ok()["info"]["nickname"].as_str(), recorded().await),
            (Some("Ours"), count),
            "{body}"
        );
    }
}

#[tokio::test]
async fn transaction_shows_current_nickname_of_node() {
    let app = TestApp::start().await;
    let us = app.client.own_session().await;
    let (from, to) = (us.funded("5").await, us.node("DEPOSIT-US").await);
    let id = us.sent(&from, &to, "1").await;
    let _ = patch(&us, &from, &json!({"nickname": "Household"})).send().await.ok();
    assert_eq!(us.get_transaction(&from, &id).await.ok()["from"]["nickname"], "Household");
    let _ = us.transfer(&from, &transfer(&to, "1")).send().await.ok();
}

#[tokio::test]
async fn invalid_label_change_changes_nothing() {
    let app = TestApp::start().await;
    let (ada, eve) = (app.client.stranger("Ada").await, app.client.stranger("Eve").await);
    let id = ada.node("DEPOSIT-US").await;
    let before = ada.get_node(&id).await.ok();
    let table = [
        (json!({}), "body"),
        (json!({"nickname": null}), "body"),
        (json!({"nickname": ""}), "nickname"),
        (json!({"nickname": 5}), "nickname"),
        (json!({"supp_id": {}}), "supp_id"),
        (json!({"supp_id": "x".repeat(1_001)}), "supp_id"),
        (json!({"supp_id": "a\0"}), "supp_id"),
        (json!({"micro": [0.1, 0.1], "supp_id": "x"}), "micro"),
    ];
    for (body, field) in table {
        assert_eq!(patch(&ada, &id, &body).send().await.refused(400, "200")["field"], field, "{body}");
    }
    patch(&eve, &id, &json!({"nickname": "Hers"})).send().await.refused(404, "404");
    patch(&ada, "00000000000000000000000000", &json!({"nickname": "x"})).send().await.refused(404, "404");
    assert_eq!(ada.get_node(&id).await.ok(), before);
}

/// Each call reads, changes and writes all details of the node. Without a conflict check, one call would undo
/// another's change.
#[tokio::test]
async fn concurrent_label_changes_are_all_kept() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let made = ada.create_node(&bodies::node("DEPOSIT-US")).await.ok();
    let id = made["nodes"][0]["_id"].as_str().expect("an id");
    for round in 0..5 {
        let bodies = (0..10).map(|n| match n % 2 {
            0 => json!({"nickname": format!("n{round}")}),
            _ => json!({"supp_id": format!("s{round}")}),
        });
        let calls: Vec<Call> = bodies.map(|body| patch(&ada, id, &body)).collect();
        for answer in join_all(calls.into_iter().map(Call::send)).await {
            let _ = answer.ok();
        }
        let after = ada.get_node(id).await.ok();
        assert_eq!(after["info"]["nickname"], format!("n{round}"));
        assert_eq!(after["extra"]["supp_id"], format!("s{round}"));
        assert_eq!(notes(&after).len(), 2 + round, "{after}");
    }
}
