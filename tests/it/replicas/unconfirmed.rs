//! A replica may have a commit that the primary has not acknowledged, and a fail-over may lose it.

use std::sync::Arc;

use daybook_log::Log;
use daybook_log::conformance::{NOON_MS, SHARD, append, writer};
use daybook_log::postgres::PostgresLog;
use daybook_pg::{Config, Pg, migrate};
use daybook_tests::client::until;
use uuid::Uuid;

use super::servers;
use crate::failed_over::{batch, wait_for};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unacknowledged_commit_is_shown_as_uncertain() {
    let Some((primary, standby)) = servers() else { return };
    let config = |server: &daybook_tests::server::Server| Config::from_url(&server.url("")).expect("a url");
    let pg = Pg::new(config(&primary)).expect("a pool");
    migrate::run(&pg).await.expect("the migrations pass");
    let log = PostgresLog::new(pg.clone());
    let read_only = Pg::new(config(&standby).read_only()).expect("a pool");
    let reading = log.clone().reading_from(vec![(pg.placement(), read_only)]);
    let replicas = Arc::clone(reading.replicas().expect("a replica"));
    let shared: Arc<dyn Log> = Arc::new(log.clone());
    let mut own = writer(&shared).await;
    append(&mut *own, batch(1)).await;
    let streams = [(Uuid::from_u128(1), 0), (Uuid::from_u128(2), 0)];
    assert_eq!(reading.streams(SHARD, &streams).await.expect("events").len(), 1);
    assert!(replicas.is_certain(SHARD));

    wait_for(&pg, "nobody").await;
    own.lock(&[], NOON_MS).await.expect("the lock is free");
    let waiting = tokio::spawn(async move { own.append(batch(2)).await });
    until("the replica shows the waiting commit", async || {
        (reading.streams(SHARD, &streams).await.expect("events").len() == 2).then_some(())
    })
    .await;
    assert_eq!(log.streams(SHARD, &streams).await.expect("events").len(), 1);
    assert!(!replicas.is_certain(SHARD));
    wait_for(&pg, "").await;
    waiting.await.expect("the task ends").expect("acknowledged");
    assert!(replicas.is_certain(SHARD));
}
