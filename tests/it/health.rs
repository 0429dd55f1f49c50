//! Health: for those who watch, without credentials.

use daybook_tests::app::TestApp;
use daybook_tests::http::Call;

#[tokio::test]
async fn a_running_service_is_live_and_ready() {
    let app = TestApp::start().await;
    let get = async |path: &str| Call::new(app.address, "GET", path).send().await;
    let live = get("/health/live").await;
    assert_eq!(live.status, 200);
    let ready = get("/health/ready").await;
    assert_eq!(ready.status, 200);
    // The platform is in the log already.
    assert!(ready.json()["position"].as_u64().is_some_and(|position| position > 0), "{}", ready.text());
}
