//! Overload: excess requests are rejected immediately, accepted requests are executed, and reads are still served.

use std::time::Duration;

use daybook_domain::custody::cut::SendFile;
use daybook_domain::{Command, CustodyId, FileId, Kind};
use daybook_engine::Call;
use daybook_pg::Role;
use daybook_tests::app::TestApp;
use daybook_tests::bodies::transfer;
use daybook_tests::client::until;
use daybook_tests::database::Database;
use daybook_tests::shard;
use serde_json::{Value, json};
use tokio::time::Instant;

/// Number of commands, more than the engine's queue and one batch hold.
const TOO_MANY: u128 = 6_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn full_queue_rejects_writes_immediately() {
    let app = TestApp::start().await;
    let us = app.client.own_session().await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let mut elsewhere = app.database.pg().client().await.expect("a connection");
    let fence = elsewhere.transaction().await.expect("begun");
    fence
        .query_one("select from shard where shard = $1 for update", &[&shard()])
        .await
        .expect("the lock is free");

    let engine = &app.service.engine;
    let wait = |id| {
        let (custody, file) = (CustodyId::from_u128(id), FileId::from_u128(id));
        let (engine, command) = (engine.clone(), Command::SendFile(SendFile { custody, file, as_of: 0 }));
        tokio::spawn(async move { engine.submit(Call::of(shard()), command).await })
    };
    let waiting: Vec<_> = (1..=TOO_MANY).map(wait).collect();
    until("a full queue", async || engine.is_full().then_some(())).await;

    // Rejected before the body is read: otherwise the answer would be 400.
    let senseless = us.transfer(&from, &json!({"amount": "much"})).send().await;
    assert_eq!(senseless.status, 503, "{}", senseless.text());

    let asked = Instant::now();
    let pay = || us.transfer(&from, &transfer(&to, "1")).key("k1");
    let answer = pay().send().await;
    assert_eq!((answer.status, &answer.json()["error_code"]), (503, &json!("503")), "{}", answer.text());
    assert_eq!(answer.headers["retry-after"], "1");
    assert!(asked.elapsed() < Duration::from_secs(3), "it waited for those before it");
    assert_eq!(us.balance(&from).await, "10.00");

    fence.rollback().await.expect("the lock is given back");
    for one in waiting {
        one.await.expect("answered").expect_err("there is no such file");
    }
    // The rejected call did not use up the idempotency key.
    pay().send().await.ok();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batches_of_user_delay_no_other_platform() {
    let app = TestApp::start().await;
    let us = app.client.own_session().await;
    let (from, to) = (us.funded("100").await, us.node("DEPOSIT-US").await);
    let other = app.platform("Other", true).await;
    let them = other.own_session().await;
    let (theirs, at) = (them.funded("10").await, them.node("DEPOSIT-US").await);
    let before = app.events().await.last().expect("there are some").position;
    let mut elsewhere = app.database.pg().client().await.expect("a connection");
    let fence = elsewhere.transaction().await.expect("begun");
    let lock = "select from shard where shard = $1 for update";
    fence.query_one(lock, &[&shard()]).await.expect("the lock is free");

    let hundred: Vec<Value> = (0..100).map(|_| transfer(&to, "0.01")).collect();
    let batch = || {
        let call = us.call("POST", &format!("/nodes/{from}/batch-trans"));
        tokio::spawn(call.json(&json!({"transactions": hundred})).send())
    };
    let mut batches = vec![batch()];
    let watch = app.database.pg().client().await.expect("a connection");
    until("the writer waits for the lock", async || {
        let waits =
            "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
        watch.query_opt(waits, &[]).await.expect("reads").map(drop)
    })
    .await;
    let engine = &app.service.engine;
    // Ten waiting batches fill the user's share of the queue. The eleventh is rejected with 503.
    batches.extend((0..10).map(|_| batch()));
    until("the user's part is full", async || (engine.queue(shard()).0 >= 1_000).then_some(())).await;
    let too_many = batch().await.expect("answered");
    assert_eq!(
        (too_many.status, &too_many.json()["error_code"]),
        (503, &json!("503")),
        "{}",
        too_many.text()
    );
    let payment = tokio::spawn(them.transfer(&theirs, &transfer(&at, "1")).send());
    until("the other waits, too", async || (engine.queue(shard()).0 > 1_000).then_some(())).await;

    fence.rollback().await.expect("the lock is given back");
    payment.await.expect("answered").ok();
    for batch in batches {
        assert_eq!(batch.await.expect("answered").ok()["trans_count"], 100);
    }
    let events = app.events().await;
    let made = |platform: &str| {
        let of = move |happened: &&daybook_projector::RecordedEvent| {
            let is_first = happened.version == 1 && happened.key.kind == Kind::Transaction;
            is_first && happened.position > before && happened.platform.to_string() == platform
        };
        events.iter().filter(of).map(|happened| happened.position).collect::<Vec<_>>()
    };
    let platform = async |client_id: &str| {
        let found = engine.access().platform_of_client(client_id).await.expect("the database is there");
        found.expect("it was made").id.to_string()
    };
    let theirs = made(&platform(&other.client_id).await)[0];
    let ours = made(&platform(&app.client.client_id).await);
    let earlier = ours.iter().filter(|position| **position < theirs).count();
    // The batch being written, and one that was queued before the payment.
    assert_eq!((earlier, ours.len()), (200, 1_100));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn exhausted_request_connections_delay_no_due_work() {
    let database = Database::create().await;
    let pg = database.pg();
    let app = TestApp::start_on(database, pg.clone(), Duration::from_secs(3)).await;
    let us = app.client.own_session().await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let watch = app.database.pg().client().await.expect("a connection");
    let settled = "select count(*) from event where type = 43";
    let count = async |what: &str| watch.query_one(what, &[]).await.expect("reads").get::<_, i64>(0);
    us.sent(&from, &to, "1").await;
    let before = count(settled).await;
    let requests = pg.acting_as(Role::App);
    let mut held = vec![];
    while let Ok(client) = requests.client().await {
        held.push(client);
    }
    assert!(!held.is_empty() && requests.client().await.is_err());
    until("it is settled", async || (count(settled).await > before).then_some(())).await;
    let behind = "select (select max(position) from event) - (select max(position) from cursor where name <> 'webhooks')";
    until("the read models are there", async || (count(behind).await == 0).then_some(())).await;
}
