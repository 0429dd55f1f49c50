//! Dummy transactions: money from outside to a user's node and back, with the interface of the original service.

use daybook_tests::app::TestApp;
use daybook_tests::bodies;
use daybook_tests::client::Session;
use daybook_tests::http::Answer;
use serde_json::json;

async fn dummy(session: &Session, node: &str, query: &str) -> Answer {
    session.call("GET", &format!("/nodes/{node}/dummy-tran{query}")).send().await
}

#[tokio::test]
async fn dummy_credit_needs_yes_else_is_debit() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let node = ada.node("DEPOSIT-US").await;
    let done = json!({"error_code": "0", "http_code": "200", "success": true});
    let table = [
        ("?is_credit=YES", "10.00"),
        ("?is_credit=yes&amount=0.29", "10.29"),
        ("?amount=1e2&is_credit=Yes", "110.29"),
        ("?is_credit=NO", "100.29"),
        ("?is_credit=False&amount=0.28", "100.01"),
        ("", "90.01"),
    ];
    for (query, balance) in table {
        assert_eq!(dummy(&ada, &node, query).await.ok(), done, "{query}");
        assert_eq!(ada.balance(&node).await, balance, "{query}");
    }
    assert_eq!(ada.transactions().await.len(), table.len());
}

#[tokio::test]
async fn restricted_node_debit_needs_platform_credentials() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let mut body = bodies::node("DEPOSIT-US");
    body["extra"] = json!({"gateway_restricted": true});
    let id = ada.create_node(&body).await.ok()["nodes"][0]["_id"].as_str().expect("an id").to_owned();
    let _ = dummy(&ada, &id, "?is_credit=YES").await.ok();
    assert_eq!(dummy(&ada, &id, "?amount=1").await.refused(401, "300")["code"], "gateway_restricted");
    let call = || ada.call("GET", &format!("/nodes/{id}/dummy-tran?amount=1"));
    call().header("X-SP-GATEWAY", format!("{}x", app.client.gateway())).send().await.refused(401, "100");
    let _ = call().header("X-SP-GATEWAY", app.client.gateway()).send().await.ok();
    let _ = app.client.debit(&id, "2").await.ok();
    assert_eq!(ada.balance(&id).await, "7.00");
}

#[tokio::test]
async fn invalid_dummy_amount_or_node_moves_nothing() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.client.stranger("Ada").await, app.client.stranger("Bob").await);
    let node = ada.funded("1.00").await;
    for amount in ["0", "-1", "0.001", "ten", "", "1e400", "10000000000.01"] {
        let answer = dummy(&ada, &node, &format!("?is_credit=YES&amount={amount}")).await;
        assert_eq!(answer.refused(400, "200")["field"], "amount", "{amount}");
    }
    let short = dummy(&ada, &node, "?amount=1.01").await.refused(409, "400");
    assert_eq!(short["code"], "insufficient_balance");
    dummy(&bob, &node, "?is_credit=YES").await.refused(404, "404");
    bob.call_at("GET", &format!("/users/{}/nodes/{node}/dummy-tran?is_credit=YES", ada.user_id))
        .send()
        .await
        .refused(404, "404");
    let bank = ada.node("ACH-US").await;
    dummy(&ada, &bank, "?is_credit=YES").await.refused(400, "410");
    assert_eq!(ada.balance(&node).await, "1.00");
}
