//! Several writers: one at a time, in order, and no commit is lost.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::future::try_join_all;
use tokio::time::timeout;
use uuid::Uuid;

use super::{NOON_MS, SHARD, append, batch, event, holds, writer};
use crate::{Appender, Head, Log};

/// Time to wait for something that must not happen.
const NO_EVENT_WINDOW: Duration = Duration::from_millis(50);

pub(super) async fn lock_is_exclusive(log: Arc<dyn Log>) {
    let (mut one, mut other) = (writer(&log).await, writer(&log).await);
    one.lock(&[], NOON_MS).await.expect("the lock is free");
    let mut waiting = pin!(other.lock(&[], NOON_MS));
    timeout(NO_EVENT_WINDOW, waiting.as_mut()).await.expect_err("the lock is held");
    let head = one.append(batch(1, NOON_MS, vec![event(1, 1)])).await.expect("the batch fits");
    let locked = waiting.await.expect("the lock was given back");
    assert_eq!(locked.head, head, "what the lock protects is read after it is taken");
}

pub(super) async fn dropped_writer_releases_the_lock(log: Arc<dyn Log>) {
    let (mut one, mut other) = (writer(&log).await, writer(&log).await);
    one.lock(&[], NOON_MS).await.expect("the lock is free");
    timeout(NO_EVENT_WINDOW, other.lock(&[], NOON_MS)).await.expect_err("the lock is held");
    drop(one);
    append(&mut *other, batch(1, NOON_MS, vec![event(1, 1)])).await;
    holds(&log, 1).await;
}

pub(super) async fn racing_writers_lose_nothing(log: Arc<dyn Log>) {
    race(&[Arc::clone(&log), Arc::clone(&log), Arc::clone(&log), log]).await;
}

/// Runs one writer for each of `logs` at once. The logs are one empty log as seen by as many processes, and all writers
/// append to one stream.
///
/// # Panics
///
/// Panics if a batch is lost, duplicated or out of order.
pub async fn race(logs: &[Arc<dyn Log>]) {
    const BATCHES: u32 = 25;
    let race = logs.iter().cloned().zip(0_u32..).map(|(log, number)| {
        tokio::spawn(async move {
            let mut writer = writer(&log).await;
            let mut heads = Vec::new();
            for round in 0..BATCHES {
                heads.push(append_next(&log, &mut *writer, number, round).await);
            }
            heads
        })
    });
    let mut heads = try_join_all(race).await.expect("no writer fails").concat();
    heads.sort_by_key(|head| head.commit_no);
    let total = logs.len() as u64 * u64::from(BATCHES);
    assert!(heads.iter().map(|head| head.commit_no).eq(1..=total));
    assert!(heads.iter().map(|head| head.position).eq((1..=total).map(|number| number * 2)));
    for log in logs {
        assert_eq!(holds(log, total * 2).await.commit_no, total);
        let shared = log.streams(SHARD, &[(Uuid::from_u128(1), 0)]).await.expect("events");
        assert!(shared.iter().map(|found| u64::from(found.event.version)).eq(1..=total));
    }
}

/// Appends one event to the shared stream and one to the writer's own stream.
async fn append_next(log: &Arc<dyn Log>, writer: &mut dyn Appender, number: u32, round: u32) -> Head {
    let locked = writer.lock(&[], NOON_MS).await.expect("the lock is free");
    let shared = log.last(SHARD, &[Uuid::from_u128(1)]).await.expect("the last event");
    let next = shared.first().map_or(1, |last| last.event.version + 1);
    let events = vec![event(1, next), event(u128::from(number) + 2, round + 1)];
    let id = u128::from(number) << 32 | u128::from(round);
    let head = writer.append(batch(id, locked.head.recorded_at_ms.max(NOON_MS), events)).await;
    head.expect("the batch fits")
}
