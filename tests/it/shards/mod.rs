//! Several shards in one database: each is served like the only one, and none disturbs another.
#![allow(clippy::float_cmp, reason = "what is compared are whole numbers")]

mod command;
mod idle;
mod servers;
mod service;

use daybook_log::Shard;
use daybook_tests::app::{SETTLE_AFTER, TestApp};
use daybook_tests::client::{Client, Session, until};
use daybook_tests::database::Database;

/// Starts a service on a database with shards 1 to `count`.
async fn app_with(count: Shard) -> TestApp {
    let database = Database::with_shards(count).await;
    let pg = database.pg();
    TestApp::start_on(database, pg, SETTLE_AFTER).await
}

/// Creates a platform in each of the shards 1 to `count`, and returns the session of its own user.
async fn sessions(app: &TestApp, count: Shard) -> Vec<Session> {
    let mut sessions = vec![];
    for shard in 1..=count {
        sessions.push(platform(app, shard).await.own_session().await);
    }
    sessions
}

async fn platform(app: &TestApp, shard: Shard) -> Client {
    app.platform_on(shard, &format!("Company {shard}")).await
}

/// Sends a payment and waits until it is settled.
async fn pay(us: &Session) {
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let id = us.sent(&from, &to, "1").await;
    us.when(&from, &id, "SETTLED").await;
    assert_eq!((us.balance(&from).await, us.balance(&to).await), ("9.00".into(), "1.00".into()));
}

/// Waits until the service accepts calls about `shard`.
async fn opened(app: &TestApp, shard: Shard) {
    until("the shard is open", async || app.service.engine.serves(shard).then_some(())).await;
}
