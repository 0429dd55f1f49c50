//! Sandbox paths: open to a sandbox platform for its own records, and 404 to every other platform.

use daybook_tests::app::TestApp;
use daybook_tests::client::{Client, Session};
use serde_json::{Value, json};

/// Returns a valid call of every path except the clock's.
fn calls(node: &str, trans: &str, user: &str) -> Vec<(String, Value)> {
    let money = json!({"amount": {"amount": 1, "currency": "USD"}});
    let mut calls = vec![
        (format!("/sandbox/nodes/{node}/credit"), money.clone()),
        (format!("/sandbox/nodes/{node}/debit"), money),
        (format!("/sandbox/trans/{trans}/queue"), json!({"code": "Q10"})),
        (format!("/sandbox/trans/{trans}/return"), json!({"code": "R01"})),
        (format!("/sandbox/users/{user}/verify"), json!({"permission": "RECEIVE"})),
    ];
    let steps = ["process", "settle", "cancel", "release"]
        .map(|step| (format!("/sandbox/trans/{trans}/{step}"), json!({})));
    calls.extend(steps);
    calls
}

fn clock() -> (String, Value) {
    ("/sandbox/clock/advance".to_owned(), json!({"seconds": 1}))
}

/// Returns a node of the user with money, and a transaction from it.
async fn moved(session: &Session) -> (String, String) {
    let (from, to) = (session.node("DEPOSIT-US").await, session.node("DEPOSIT-US").await);
    let id = session.sent(&from, &to, "1").await;
    (from, id)
}

async fn found_nothing(client: &Client, calls: Vec<(String, Value)>) {
    for (path, body) in calls {
        client.call("POST", &path).json(&body).send().await.refused(404, "404");
    }
}

#[tokio::test]
async fn sandbox_paths_require_platform_credentials() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let (node, trans) = moved(&ada).await;
    for (path, body) in calls(&node, &trans, &ada.user_id).into_iter().chain([clock()]) {
        app.client.anonymous("POST", &path).json(&body).send().await.refused(401, "100");
        ada.call_at("POST", &path).json(&body).send().await.refused(401, "100");
    }
}

#[tokio::test]
async fn records_of_another_platform_are_not_found() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let (node, trans) = moved(&ada).await;
    found_nothing(&app.platform("Other", true).await, calls(&node, &trans, &ada.user_id)).await;
    let nobody = "00000000000000000000000000";
    found_nothing(&app.client, calls(nobody, nobody, nobody)).await;
    found_nothing(&app.client, calls("nonsense", "nonsense", "nonsense")).await;
}

#[tokio::test]
async fn production_platform_has_no_sandbox_paths() {
    let app = TestApp::start().await;
    let production = app.platform("Production", false).await;
    let own = production.own_session().await;
    let (node, trans) = moved(&own).await;
    let all = calls(&node, &trans, &own.user_id).into_iter().chain([clock()]);
    found_nothing(&production, all.collect()).await;
    own.call("GET", &format!("/nodes/{node}/dummy-tran?is_credit=YES")).send().await.refused(404, "404");
    let reserve = own.call("GET", "/nodes?type=RESERVE-US").send().await;
    assert_eq!(reserve.raw("nodes.0.info.balance.amount"), "0.00");
}
