//! Credits: money from outside to a held node.

use daybook_tests::app::TestApp;
use daybook_tests::bodies::node;
use serde_json::json;

#[tokio::test]
async fn credit_settles_at_once_and_returns_transaction() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let node = ada.node("DEPOSIT-US").await;
    let body = r#"{"amount": {"amount": 87.66, "currency": "USD"}, "note": "pay day"}"#;
    let call = app.client.call("POST", &format!("/sandbox/nodes/{node}/credit")).body(body);
    let answer = call.send().await;
    let made = answer.ok();
    assert_eq!(answer.raw("amount.amount"), "87.66");
    assert_eq!(made["recent_status"]["status"], "SETTLED");
    assert_eq!(made["recent_status"]["status_id"], "4");
    // The transaction is marked as simulated.
    assert_eq!(
        (&made["timeline"][0]["simulated"], &made["recent_status"]["simulated"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(made["extra"]["note"], "pay day");
    let outside = json!({
        "id": "", "nickname": "External account", "type": "ACH-US", "user": {"_id": "", "legal_names": []},
    });
    assert_eq!(made["from"], outside);
    assert_eq!((&made["to"]["id"], &made["to"]["type"]), (&json!(node), &json!("DEPOSIT-US")));
    assert_eq!(ada.balance(&node).await, "87.66");
    let fetched = ada.get_transaction(&node, made["_id"].as_str().expect("an id")).await.ok();
    assert_eq!(fetched["timeline"], made["timeline"]);
    assert_eq!(ada.call("GET", "/trans").send().await.ok()["trans_count"], 1);
}

#[tokio::test]
async fn credit_accepts_every_held_node_type_only() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    for kind in ["DEPOSIT-US", "SUBACCOUNT-US", "RESERVE-US", "CLEARING-US", "LEDGER-US"] {
        let id = ada.node(kind).await;
        let _ = app.client.credit(&id, "0.01").await.ok();
        let _ = app.client.credit(&id, "0.29").await.ok();
        assert_eq!(ada.balance(&id).await, "0.30", "{kind}");
    }
    for kind in ["ACH-US", "WIRE-US", "CHECK-US"] {
        let made = ada.create_node(&node(kind)).await.ok();
        app.client.credit(made["nodes"][0]["_id"].as_str().expect("an id"), "1").await.refused(400, "410");
    }
}

#[tokio::test]
async fn credit_requires_own_platform_and_node() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let node = ada.node("DEPOSIT-US").await;
    let path = format!("/sandbox/nodes/{node}/credit");
    let body = json!({"amount": {"amount": 1, "currency": "USD"}});
    app.client.anonymous("POST", &path).json(&body).send().await.refused(401, "100");
    ada.call_at("POST", &path).json(&body).send().await.refused(401, "100");
    app.platform("Other", true).await.credit(&node, "1").await.refused(404, "404");
    app.client.credit("00000000000000000000000000", "1").await.refused(404, "404");
    app.client.credit("nonsense", "1").await.refused(404, "404");
    assert_eq!(ada.balance(&node).await, "0.00");
}

#[tokio::test]
async fn malformed_credit_is_refused() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let node = ada.node("DEPOSIT-US").await;
    for amount in ["0", "-1", "0.001", "\"1\"", "null", "10000000000.01", "1e400"] {
        assert_eq!(
            app.client.credit(&node, amount).await.refused(400, "200")["field"],
            "amount.amount",
            "{amount}"
        );
    }
    let call = || app.client.call("POST", &format!("/sandbox/nodes/{node}/credit"));
    let euros = call().body(r#"{"amount": {"amount": 1, "currency": "EUR"}}"#).send().await;
    assert_eq!(euros.refused(400, "200")["field"], "amount.currency");
    assert_eq!(call().body("{}").send().await.refused(400, "200")["field"], "amount");
}

#[tokio::test]
async fn credit_accepts_an_idempotency_key() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let node = ada.node("DEPOSIT-US").await;
    let credit = async || {
        let call = app.client.call("POST", &format!("/sandbox/nodes/{node}/credit")).key("k1");
        call.body(r#"{"amount": {"amount": 5, "currency": "USD"}}"#).send().await
    };
    let made = credit().await.ok();
    assert_eq!(credit().await.refused(409, "400")["original_id"], made["_id"]);
    assert_eq!(ada.balance(&node).await, "5.00");
}
