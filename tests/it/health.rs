//! Health checks: liveness and readiness, without credentials.

use daybook_tests::app::{SETTLE_AFTER, TestApp};
use daybook_tests::bodies::{node, transfer};
use daybook_tests::client::until;
use daybook_tests::database::Database;
use daybook_tests::http::Call;
use daybook_tests::proxy::{self, Proxy, Rule};
use tokio::time::timeout;

/// Upper bound for the time of any answer.
const MAX_DURATION: std::time::Duration = std::time::Duration::from_secs(9);

#[tokio::test]
async fn running_service_is_live_and_ready() {
    let app = TestApp::start().await;
    let get = async |path: &str| Call::new(app.address, "GET", path).send().await;
    let live = get("/health/live").await;
    assert_eq!(live.status, 200);
    let ready = get("/health/ready").await;
    assert_eq!(ready.status, 200);
    // The log already contains the platform.
    assert!(ready.json()["position"].as_u64().is_some_and(|position| position > 0), "{}", ready.text());
}

/// A service that reaches its database through a proxy.
async fn behind_a_proxy() -> (TestApp, Proxy) {
    let database = Database::create().await;
    let (proxy, pg) = proxy::before(&database.config()).await;
    let app = TestApp::start_on(database, pg, SETTLE_AFTER).await;
    (app, proxy)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn service_without_database_is_live_not_ready() {
    let (app, proxy) = behind_a_proxy().await;
    let us = app.client.own_session().await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let get = async |path: &str| Call::new(app.address, "GET", path).send().await;

    proxy.set(Rule::Cut);
    assert_eq!(get("/health/live").await.status, 200);
    let send = || us.transfer(&from, &transfer(&to, "1")).key("k1");
    let calls = [
        Call::new(app.address, "GET", "/health/ready"),
        us.call("GET", "/nodes"),
        us.call("POST", "/nodes").json(&node("DEPOSIT-US")),
        send(),
        app.client.call("GET", &format!("/users/{}", us.user_id)),
    ];
    for call in calls {
        let answer = call.send().await;
        let body = answer.json();
        assert_eq!((answer.status, &body["error_code"]), (503, &"503".into()), "{body}");
        assert!(body["http_code"] == "503" && body["success"] == false && body["error"]["en"].is_string());
        assert!(answer.headers["retry-after"].to_str().is_ok_and(|wait| wait.parse::<u64>().is_ok()));
    }

    proxy.set(Rule::Pass);
    until("it is ready again", async || (get("/health/ready").await.status == 200).then_some(())).await;
    // The payment may have been committed before the failure. Its idempotency key shows that.
    let id = until("it is known", async || {
        let answer = send().send().await;
        match answer.status {
            200 => Some(answer.ok()["_id"].clone()),
            409 => Some(answer.refused(409, "400")["original_id"].clone()),
            _ => None,
        }
    })
    .await;
    us.when(&from, id.as_str().expect("an id"), "SETTLED").await;
    assert_eq!((us.balance(&from).await, us.balance(&to).await), ("9.00".into(), "1.00".into()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_database_packets_cause_503_in_time() {
    let (app, proxy) = behind_a_proxy().await;
    let us = app.client.own_session().await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    proxy.set(Rule::BlackHole);
    let call =
        |call: Call| async { timeout(MAX_DURATION, call.send()).await.expect("it is answered").status };
    let (node, ready) = (format!("/nodes/{from}"), Call::new(app.address, "GET", "/health/ready"));
    let answered = tokio::join!(
        call(ready),
        call(us.call("GET", &node)),
        call(us.call("GET", "/trans")),
        call(us.transfer(&from, &transfer(&to, "1")).key("k1")),
    );
    assert_eq!(answered, (503, 503, 503, 503));
    proxy.set(Rule::Pass);
    until("it is well again", async || (us.get_node(&from).await.status == 200).then_some(())).await;
}
