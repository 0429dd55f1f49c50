//! A service with several shards: payments, readiness, a shard that is added later, and one that is damaged.

use std::collections::BTreeSet;
use std::sync::Arc;

use daybook_cli::anchor::AnchorMetrics;
use daybook_log::postgres::{PostgresLog, add_shard};
use daybook_projector::Reads;
use daybook_tests::app::{SETTLE_AFTER, TestApp};
use daybook_tests::client::{Client, until};
use daybook_tests::http::Call;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{app_with, opened, pay, platform, sessions};
use crate::watching::value;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn payments_settle_on_every_shard() {
    let app = app_with(4).await;
    let sessions = sessions(&app, 4).await;
    futures::future::join_all(sessions.iter().map(pay)).await;
    let log = app.service.engine.log();
    for shard in 1..=4 {
        let head = log.head(shard).await.expect("a log").position;
        let events = log.read(shard, 0, head).await.expect("events");
        let platforms: BTreeSet<Uuid> =
            events.iter().map(|one| one.event.platform).filter(|platform| !platform.is_nil()).collect();
        // Shard 1 also has the platform with which every test begins.
        assert_eq!(platforms.len(), if shard == 1 { 2 } else { 1 }, "shard {shard}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shard_added_later_is_served() {
    let app = TestApp::start().await;
    let pg = app.database.pg();
    let shard = add_shard(&pg, Uuid::from_u128(7)).await.expect("is added").expect("there is room");
    let reads = Reads::new(pg.clone(), Arc::new(PostgresLog::new(pg)));
    reads.versions().make(shard).await.expect("is made");
    opened(&app, shard).await;
    pay(&platform(&app, shard).await.own_session().await).await;
    app.stop().await;
}

/// Returns status and body of `GET /health/ready`.
pub(super) async fn ready(app: &TestApp) -> (u16, Value) {
    let answer = Call::new(app.address, "GET", "/health/ready").send().await;
    (answer.status, answer.json())
}

/// Starts a service on two shards, of which the second lost its first commit.
async fn with_damaged_shard() -> (TestApp, Client, Client) {
    let app = app_with(2).await;
    let (one, two) = (platform(&app, 1).await, platform(&app, 2).await);
    two.verified("Ada Lovelace").await;
    let TestApp { database, service, .. } = app;
    service.stop().await;
    let damage = "create table damaged as select * from commit where shard = 2 and commit_no = 1;
        set session_replication_role = replica;
        delete from commit where shard = 2 and commit_no = 1";
    database.patient_client().await.batch_execute(damage).await.expect("is deleted");
    let pg = database.pg();
    let app = TestApp::start_on(database, pg, SETTLE_AFTER).await;
    let at = |client: Client| Client { address: app.address, ..client };
    let (one, two) = (at(one), at(two));
    (app, one, two)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn damaged_shard_answers_503_alone() {
    let (app, one, two) = with_damaged_shard().await;
    pay(&one.own_session().await).await;
    let answer = two.call("GET", "/users").send().await;
    assert_eq!((answer.status, &answer.json()["error_code"]), (503, &json!("503")));
    assert!(answer.headers.contains_key("retry-after"));

    let (status, found) = ready(&app).await;
    assert_eq!((status, &found["status"]), (200, &json!("ready")), "{found}");
    let because = found["parts"]["log"]["because"].as_str().expect("a reason");
    assert!(because.starts_with("shard 2: the log is corrupt"), "{because}");
    let part = |shard: &str| found["shards"][shard]["parts"]["log"]["status"].clone();
    assert_eq!((part("1"), part("2")), (json!("ok"), json!("failed")));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mended_shard_is_served_again() {
    let (app, _, two) = with_damaged_shard().await;
    app.database.execute("insert into commit select * from damaged").await;
    opened(&app, 2).await;
    assert_eq!(two.call("GET", "/users").send().await.status, 200);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn metrics_name_the_shard() {
    let app = app_with(3).await;
    let sessions = sessions(&app, 3).await;
    pay(&sessions[1]).await;
    let text = until("all is projected", async || {
        let text = app.service.metrics(&AnchorMetrics::default()).text().await.expect("text");
        (value(&text, "daybook_projection_lag_events", &[("shard", "2")]) == 0.0).then_some(text)
    })
    .await;
    let position = |shard: &str| value(&text, "daybook_log_position", &[("shard", shard)]);
    assert!(position("2") > position("3") && position("3") > 0.0);
    assert_eq!(value(&text, "daybook_database_up", &[]), 1.0);
    assert_eq!(value(&text, "daybook_writer_running", &[("shard", "3")]), 1.0);
    app.stop().await;
}
