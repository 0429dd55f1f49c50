//! More than can be done: what comes too many is sent away at once, what was let in is done, and who only looks is served.

use std::time::Duration;

use daybook_domain::custody::cut::SendFile;
use daybook_domain::{Command, CustodyId, FileId};
use daybook_engine::{Call, SHARD};
use daybook_tests::app::TestApp;
use daybook_tests::bodies::transfer;
use daybook_tests::client::until;
use serde_json::json;
use tokio::time::Instant;

/// More than the engine's queue and one batch hold.
const TOO_MANY: u128 = 6_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_comes_too_many_is_sent_away_at_once_and_nothing_of_it_is_done() {
    let app = TestApp::start().await;
    let us = app.client.own_session().await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let mut elsewhere = app.database.pg().client().await.expect("a connection");
    let fence = elsewhere.transaction().await.expect("begun");
    fence
        .query_one("select from shard where shard = $1 for update", &[&SHARD])
        .await
        .expect("the lock is free");

    let engine = &app.service.engine;
    let wait = |id| {
        let (custody, file) = (CustodyId::from_u128(id), FileId::from_u128(id));
        let (engine, command) = (engine.clone(), Command::SendFile(SendFile { custody, file }));
        tokio::spawn(async move { engine.submit(Call::default(), command).await })
    };
    let waiting: Vec<_> = (1..=TOO_MANY).map(wait).collect();
    until("a full queue", async || engine.is_full().then_some(())).await;

    // Before it is read: else it would be told what is wrong with it.
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
    // The key was not used up.
    pay().send().await.ok();
}
