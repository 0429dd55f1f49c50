//! Readiness: the health check names each part of the service that fails, with the reason.

use daybook_tests::app::TestApp;
use daybook_tests::client::until;
use daybook_tests::http::Call;
use serde_json::{Value, json};

use super::{ONE, value};
use daybook_cli::anchor::AnchorMetrics;

/// Returns status and body of `GET /health/ready`.
async fn ready(app: &TestApp) -> (u16, Value) {
    let answer = Call::new(app.address, "GET", "/health/ready").send().await;
    (answer.status, answer.json())
}

/// Inserts an event of an unknown type into the log, as a newer release may record it.
const STRANGER: &str = "
    insert into event (shard, position, event_id, stream, stream_kind, version, type, schema_version, recorded_at,
        cause_id, platform, data)
    select shard, last_position + 1, gen_random_uuid(), gen_random_uuid(), 1, 1, 9999, 1, recorded_at, gen_random_uuid(),
        (select platform from event limit 1), '{}'
    from commit order by last_position desc limit 1;
    insert into commit (shard, commit_no, batch, writer, last_position, recorded_at, root, signature, frontier)
    select shard, commit_no + 1, gen_random_uuid(), writer, last_position + 1, recorded_at, root, signature, frontier
    from commit order by commit_no desc limit 1;
    ";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopped_projection_is_reported_and_service_continues() {
    let app = TestApp::start().await;
    let before = until("it has come to the end", async || {
        let (_, found) = ready(&app).await;
        (found["parts"]["projection"] == json!({"position": found["position"], "status": "ok"}))
            .then_some(found)
    })
    .await;
    let at = &before["position"];
    app.database.execute(STRANGER).await;
    let found = until("it stands still", async || {
        let (status, found) = ready(&app).await;
        assert_eq!(status, 200, "{found}");
        (found["parts"]["projection"]["status"] != "ok").then_some(found)
    })
    .await;
    let place = at.as_u64().expect("a position") + 1;
    let because = format!("the event at position {place} cannot be decoded");
    let told = json!({"because": because, "position": at, "status": "stopped"});
    assert_eq!(found["parts"]["projection"], told);
    assert_eq!((&found["status"], &found["lag"]), (&json!("ready"), &json!(1)));
    let text = app.service.metrics(&AnchorMetrics::default()).text().await.expect("text");
    assert_eq!(value(&text, "daybook_projection_stopped", &ONE), 1.0);
    assert_eq!(value(&text, "daybook_projection_lag_events", &ONE), 1.0);
    assert!(value(&text, "daybook_projection_failures_total", &[("reason", "event")]) >= 1.0);
}

#[tokio::test]
async fn schema_older_than_binary_is_reported() {
    let app = TestApp::start().await;
    app.database.execute("delete from refinery_schema_history where version = (select max(version) from refinery_schema_history)")
        .await;
    let (status, found) = ready(&app).await;
    assert_eq!((status, &found["status"], &found["error_code"]), (503, &json!("not_ready"), &json!("503")));
    assert_eq!(found["parts"]["schema"]["status"], "failed");
    assert!(
        found["parts"]["schema"]["because"].as_str().is_some_and(|text| text.contains("daybook migrate"))
    );
    assert_eq!(found["parts"]["writer"], json!({"status": "ok"}));
}

#[tokio::test]
async fn stopping_service_is_live_and_not_ready() {
    let app = TestApp::start().await;
    app.service.observability.stop();
    let (status, found) = ready(&app).await;
    assert_eq!(
        (status, &found["status"], &found["parts"]["database"]["status"]),
        (503, &json!("stopping"), &json!("ok"))
    );
    let live = Call::new(app.address, "GET", "/health/live").send().await;
    assert_eq!(live.status, 200);
}
