//! API surface: administration of the service is done by commands, and no path offers it.

use daybook_tests::app::TestApp;
use daybook_tests::http::Call;

/// Names of commands, and common names of administrative paths in other services.
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
async fn commands_have_no_http_path() {
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
