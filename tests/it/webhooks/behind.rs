//! Failing receivers: such a receiver has few lanes, and the rest stays in the log until it accepts deliveries again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use daybook_tests::app::TestApp;
use daybook_tests::client::until;
use daybook_tests::shard;
use serde_json::json;

use super::delivered::{Telling, by_record, expected, hurry, lanes, live};
use super::receiver::Receiver;
use super::{Hook, SCOPES};

/// Maximum number of lanes of a failing receiver in these tests.
const MAX_UNTRIED_LANES: u32 = 4;

fn telling(app: &TestApp) -> Telling {
    Telling::by(
        app.service.webhooks(&format!("http://{}", app.address), shard()).with_window(MAX_UNTRIED_LANES),
    )
}

async fn is_behind(app: &TestApp, hook: &Hook) -> bool {
    let client = app.database.pg().client().await.expect("connects");
    let id = uuid::Uuid::from(hook.id);
    let rows = client.query("select from webhook_backlog where subscription = $1", &[&id]).await;
    !rows.expect("reads").is_empty()
}

/// Waits until every event is in a lane or in a backlog.
async fn looked_at(app: &TestApp) {
    let client = app.database.pg().client().await.expect("connects");
    let all =
        "select c.position = (select max(e.position) from event e) from cursor c where c.name = 'webhooks'";
    until("the log was looked at", async || {
        client.query_one(all, &[]).await.expect("reads").get::<_, bool>(0).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failing_receiver_has_few_lanes_then_recovers() {
    let app = TestApp::start().await;
    let is_well = Arc::new(AtomicBool::new(false));
    let well = Arc::clone(&is_well);
    let sick = Receiver::answering(move |_| if well.load(Ordering::SeqCst) { 200 } else { 503 });
    let healthy = Receiver::answering(|_| 200);
    let mut own = telling(&app);
    Telling::has_begun(&app).await;
    let hook = Hook::new(&app, &app.client, &sick.url, &SCOPES).await;
    let other = Hook::new(&app, &app.client, &healthy.url, &SCOPES).await;
    // Several pages of the log, so that one step does not process all of it.
    for _ in 0..3 {
        live(&app).await;
        looked_at(&app).await;
    }
    assert!(is_behind(&app, &hook).await);
    let all = expected(&app, &hook).await;
    until("who is well is told everything", async || {
        (by_record(&healthy.heard()) == all && !is_behind(&app, &other).await).then_some(())
    })
    .await;
    let waiting = lanes(&app).await;
    // The lanes of one step, and a few more for each attempt.
    assert!(waiting < i64::try_from(all.len()).expect("few") * 3 / 4, "{waiting} lanes of {}", all.len());

    is_well.store(true, Ordering::SeqCst);
    until("the other is told, too", async || {
        // A new process does not know since when the receiver has failed, so it calls it immediately.
        own = telling(&app);
        hurry(&app).await;
        tokio::time::sleep(std::time::Duration::from_millis(700)).await;
        (by_record(&sick.heard()) == all && !is_behind(&app, &hook).await).then_some(())
    })
    .await;
    drop(own);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reactivated_subscription_resumes_its_backlog() {
    let app = TestApp::start().await;
    let is_well = Arc::new(AtomicBool::new(false));
    let well = Arc::clone(&is_well);
    let receiver = Receiver::answering(move |_| if well.load(Ordering::SeqCst) { 200 } else { 503 });
    let mut own = telling(&app);
    Telling::has_begun(&app).await;
    let hook = Hook::new(&app, &app.client, &receiver.url, &SCOPES).await;
    for _ in 0..2 {
        live(&app).await;
        looked_at(&app).await;
    }
    assert!(is_behind(&app, &hook).await);
    hook.change(&json!({"is_active": false})).await;
    live(&app).await;
    looked_at(&app).await;
    assert!(is_behind(&app, &hook).await, "its place is kept");
    is_well.store(true, Ordering::SeqCst);
    hook.change(&json!({"is_active": true})).await;
    let all = expected(&app, &hook).await;
    until("everything is told", async || {
        own = telling(&app);
        hurry(&app).await;
        tokio::time::sleep(std::time::Duration::from_millis(700)).await;
        (by_record(&receiver.heard()) == all).then_some(())
    })
    .await;
    drop(own);
}
