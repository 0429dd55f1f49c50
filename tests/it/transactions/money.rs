//! Money: moves in steps, exact to the cent, and never more than is available.

use daybook_tests::app::TestApp;
use daybook_tests::bodies::{person_with, transfer};
use daybook_tests::client::until;
use futures::future::join_all;
use serde_json::json;

use super::{own, statuses};

#[tokio::test]
async fn money_moves_in_steps_to_the_cent() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let (from, to, first, second) = (
        us.funded("100.00").await,
        us.node("DEPOSIT-US").await,
        us.node("LEDGER-US").await,
        us.node("LEDGER-US").await,
    );
    let mut body = transfer(&to, "12.34");
    body["fees"] =
        json!([{"fee": 0.29, "note": "a", "to": {"id": first}}, {"fee": 1.1, "to": {"id": second}}]);
    let made = us.transfer(&from, &body).send().await.ok();
    assert_eq!(statuses(&made), ["CREATED"]);
    let id = made["_id"].as_str().expect("an id");

    let settled = us.when(&from, id, "SETTLED").await.ok();
    assert_eq!(statuses(&settled), ["CREATED", "PROCESSING-DEBIT", "PROCESSING-CREDIT", "SETTLED"]);
    let entries = settled["timeline"].as_array().expect("a list");
    assert_eq!(settled["recent_status"], entries[3]);
    for (entry, status_id) in entries.iter().zip(["1", "2", "3", "4"]) {
        assert_eq!(entry["status_id"], status_id);
        assert!(entry["note"].is_string());
    }
    let dates: Vec<_> = entries.iter().map(|entry| entry["date"].as_i64().expect("milliseconds")).collect();
    assert!(dates.is_sorted(), "{dates:?}");
    for (node, balance) in [(&from, "87.66"), (&to, "10.95"), (&first, "0.29"), (&second, "1.10")] {
        assert_eq!(&us.balance(node).await, balance);
    }
}

#[tokio::test]
async fn ten_dimes_are_a_dollar() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("1").await, us.node("DEPOSIT-US").await);
    let ids = join_all((0..10).map(|_| us.sent(&from, &to, "0.10"))).await;
    for id in &ids {
        us.when(&from, id, "SETTLED").await;
    }
    assert_eq!((us.balance(&from).await, us.balance(&to).await), ("0.00".into(), "1.00".into()));
}

#[tokio::test]
async fn unfunded_transaction_is_created_then_canceled() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("5.00").await, us.node("DEPOSIT-US").await);
    let covered = us.sent(&from, &to, "3.00").await;
    let made = us.transfer(&from, &transfer(&to, "2.01")).send().await.ok();
    assert_eq!(statuses(&made), ["CREATED"]);
    let canceled = us.when(&from, made["_id"].as_str().expect("an id"), "CANCELED").await.ok();
    assert_eq!(statuses(&canceled), ["CREATED", "CANCELED"]);
    assert_eq!(canceled["recent_status"]["status_id"], "5");
    let note = canceled["recent_status"]["note"].as_str().expect("text").to_lowercase();
    // The hold of the first transaction has been debited by then.
    for number in ["insufficient", "needed 2.01", "available 2.00", "held 0.00"] {
        assert!(note.contains(number), "{number} is not in: {note}");
    }
    us.when(&from, &covered, "SETTLED").await;
    assert_eq!((us.balance(&from).await, us.balance(&to).await), ("2.00".into(), "3.00".into()));
}

#[tokio::test]
async fn racing_creators_never_overdraw_a_node() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("10.00").await, us.node("DEPOSIT-US").await);
    let ids = join_all((0..24).map(|_| us.sent(&from, &to, "1.00"))).await;
    let ends = join_all(ids.iter().map(|id| {
        until("it ends", async || {
            let found = us.get_transaction(&from, id).await.ok();
            let status = found["recent_status"]["status"].as_str().expect("text");
            ["SETTLED", "CANCELED"].contains(&status).then(|| status.to_owned())
        })
    }))
    .await;
    assert_eq!(ends.iter().filter(|status| *status == "SETTLED").count(), 10);
    assert_eq!((us.balance(&from).await, us.balance(&to).await), ("0.00".into(), "10.00".into()));
}

#[tokio::test]
async fn credit_only_node_cannot_send() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let (reserve, to) = (us.node("RESERVE-US").await, us.node("DEPOSIT-US").await);
    let _ = app.client.credit(&reserve, "5").await.ok();
    let made = us.transfer(&reserve, &transfer(&to, "1")).send().await.ok();
    assert_eq!(statuses(&made), ["CREATED"]);
    us.when(&reserve, made["_id"].as_str().expect("an id"), "CANCELED").await;
    assert_eq!((us.balance(&reserve).await, us.balance(&to).await), ("5.00".into(), "0.00".into()));
}

#[tokio::test]
async fn inactive_node_sends_nothing() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let to = us.node("DEPOSIT-US").await;
    let made =
        us.create_node(&json!({"type": "DEPOSIT-US", "info": {"nickname": "x"}, "is_active": false})).await;
    let hidden = made.ok()["nodes"][0]["_id"].as_str().expect("an id").to_owned();
    us.transfer(&hidden, &transfer(&to, "1")).send().await.refused(404, "404");
}

#[tokio::test]
async fn restricted_node_sends_with_gateway_credentials_only() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let to = us.node("DEPOSIT-US").await;
    let body = json!({"type": "LEDGER-US", "info": {"nickname": "x"}, "extra": {"gateway_restricted": true}});
    let made = us.create_node(&body).await.ok();
    let from = made["nodes"][0]["_id"].as_str().expect("an id");
    let _ = app.client.credit(from, "5").await.ok();
    let call = || us.transfer(from, &transfer(&to, "1"));
    call().send().await.refused(401, "300");
    call().header("X-SP-GATEWAY", "client_id_x|client_secret_x").send().await.refused(401, "100");
    let _ = call().header("X-SP-GATEWAY", app.client.gateway()).send().await.ok();
}

#[tokio::test]
async fn user_without_send_permission_cannot_send() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let stays = person_with("Eve", &json!([{"document_type": "SSN", "document_value": "1111"}]));
    let eve = app.client.create_user(&stays).await.ok();
    let eve = app.client.session(eve["_id"].as_str().expect("an id")).await;
    let (from, to) = (eve.funded("10").await, ada.node("DEPOSIT-US").await);
    let made = eve.transfer(&from, &transfer(&to, "1")).send().await.ok();
    assert_eq!(statuses(&made), ["CREATED"]);
    let id = made["_id"].as_str().expect("an id");
    until("it is stopped", async || {
        let found = eve.get_transaction(&from, id).await.ok();
        let status = found["recent_status"]["status"].as_str().expect("text").to_owned();
        assert!(!status.starts_with("PROCESSING") && status != "SETTLED", "{found}");
        (status != "CREATED").then_some(())
    })
    .await;
    assert_eq!((eve.balance(&from).await, ada.balance(&to).await), ("10.00".into(), "0.00".into()));
}
