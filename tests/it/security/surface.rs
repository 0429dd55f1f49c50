//! What is not there: what operators of the machine do is done by commands, not by calls.

use daybook_tests::app::TestApp;
use daybook_tests::http::Call;

/// What commands do, and where other services keep what is not for everybody.
const WORDS: [&str; 26] = [
    "migrate",
    "rebuild",
    "projection",
    "projection/rebuild",
    "reconcile",
    "replay",
    "verify",
    "log",
    "log/verify",
    "log/export",
    "vault",
    "vault/rotate",
    "key",
    "client/create",
    "operator",
    "operators",
    "operator/create",
    "bench",
    "admin",
    "debug",
    "debug/pprof",
    "actuator",
    "metrics",
    "env",
    "config",
    "subject",
];

#[tokio::test]
async fn nothing_that_a_command_does_is_a_call() {
    let app = TestApp::start().await;
    let operator = app.operator("Ada").await;
    for word in WORDS {
        for prefix in ["", "/v3.1", "/v3.1/ops", "/v3", "/api/3"] {
            for method in ["GET", "POST", "DELETE"] {
                let call = Call::new(app.address, method, &format!("{prefix}/{word}"));
                let call = call.header("X-SP-OPERATOR", operator.credentials());
                let call = call.header("X-SP-GATEWAY", app.client.gateway());
                let answer = call.send().await;
                assert_eq!(answer.status, 404, "{method} {prefix}/{word}: {}", answer.text());
            }
        }
    }
}
