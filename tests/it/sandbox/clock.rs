//! The clock: a platform of the sandbox lives later when it likes to, and what is due by then is done.

use std::time::Duration;

use daybook_tests::app::TestApp;
use serde_json::json;

#[tokio::test]
async fn what_is_due_by_then_is_done_and_dated_then() {
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
    // Five minutes lie between the last steps, though hardly a second has passed.
    assert!(dates.is_sorted() && dates[3] - dates[2] >= 240_000, "{settled}");
    // Nobody made these steps; they were due.
    assert!(settled["recent_status"].get("simulated").is_none(), "{settled}");
}

#[tokio::test]
async fn other_platforms_live_on_as_they_did() {
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
async fn it_goes_forward_and_not_for_ever() {
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
