//! The clock: a sandbox platform can advance its clock, and work due until then is done.

use std::time::Duration;

use daybook_tests::app::TestApp;
use serde_json::json;

#[tokio::test]
async fn due_steps_run_at_the_advanced_time() {
    let app = TestApp::settling_after(Duration::from_mins(15)).await;
    let us = app.client.own_session().await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let id = us.sent(&from, &to, "10").await;
    let first = app.client.advance(600).await.ok();
    assert_eq!(first["advanced_ms"], 600_000);
    us.when(&from, &id, "PROCESSING-CREDIT").await;
    let second = app.client.advance(300).await.ok();
    let passed = second["now"].as_i64().expect("ms") - first["now"].as_i64().expect("ms");
    assert!((300_000..360_000).contains(&passed), "{passed}");
    let settled = us.when(&from, &id, "SETTLED").await.ok();
    let dates: Vec<_> = settled["timeline"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|entry| entry["date"].as_i64().expect("ms"))
        .collect();
    // Five minutes lie between the last two steps, although less than a minute of wall-clock time has passed.
    assert!(dates.is_sorted() && dates[3] - dates[2] >= 240_000, "{settled}");
    // The steps were due, so they are not marked as simulated.
    assert!(settled["recent_status"].get("simulated").is_none(), "{settled}");
}

#[tokio::test]
async fn advanced_clock_affects_no_other_platform() {
    let app = TestApp::settling_after(Duration::from_mins(15)).await;
    let other = app.platform("Other", true).await;
    let us = other.own_session().await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let id = us.sent(&from, &to, "10").await;
    let own = app.client.own_session().await;
    let (ours, there) = (own.funded("10").await, own.node("DEPOSIT-US").await);
    let moved = own.sent(&ours, &there, "10").await;
    let _ = app.client.advance(3_600).await.ok();
    own.when(&ours, &moved, "SETTLED").await;
    assert_eq!(us.get_transaction(&from, &id).await.ok()["recent_status"]["status"], "CREATED");
}

#[tokio::test]
async fn clock_only_advances_up_to_ten_years() {
    let app = TestApp::start().await;
    let call = || app.client.call("POST", "/sandbox/clock/advance");
    let ten_years = 3_653 * 86_400;
    for body in [
        json!({}),
        json!({"seconds": null}),
        json!({"seconds": 0}),
        json!({"seconds": -1}),
        json!({"seconds": 1.5}),
        json!({"seconds": "900"}),
        json!({"seconds": ten_years + 1}),
        json!({"seconds": i64::MAX}),
    ] {
        assert_eq!(call().json(&body).send().await.refused(400, "200")["field"], "seconds", "{body}");
    }
    let _ = app.client.advance(ten_years).await.ok();
    app.client.advance(1).await.refused(400, "200");
}
