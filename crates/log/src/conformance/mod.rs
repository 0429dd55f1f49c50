//! What every log promises, as checks over the trait alone; a log that passes may stand in for another.
//!
//! Each check gets an empty log of its own and panics where a promise is broken. The checks move the clock by naming
//! times; none reads one.
#![allow(clippy::expect_used, clippy::panic, reason = "a broken promise must stop the test")]

mod appending;
mod keys;
mod racing;
mod reading;

use std::sync::Arc;

pub use racing::race;
use uuid::Uuid;

use crate::{Appender, Batch, Head, Key, KeyUse, Log, NewEvent, Position, Shard, StreamKind};

/// The shard that the checks use; a log must have it from the start.
pub const SHARD: Shard = 1;

/// 2026-03-01, 12:00 UTC, in milliseconds since the Unix epoch: when the checks begin.
pub const NOON_MS: i64 = 1_772_366_400_000;

/// The kind of streams whose boxes the logs under test leave out of pages.
pub const BULKY: StreamKind = 8;

/// Runs every check, each on a log made by `make`, without boxes of [`BULKY`].
///
/// # Panics
///
/// Where a promise is broken.
pub async fn run(make: impl AsyncFn() -> Arc<dyn Log>) {
    appending::positions_follow_each_other(make().await).await;
    appending::a_taken_version_leaves_nothing(make().await).await;
    appending::a_batch_that_cannot_follow_leaves_nothing(make().await).await;
    appending::released_is_as_if_never_locked(make().await).await;
    appending::without_the_lock_nothing_is_done(make().await).await;
    appending::bytes_are_kept(make().await).await;
    appending::watchers_are_told(make().await).await;
    appending::a_commit_is_found_by_its_batch(make().await).await;
    reading::pages_are_bounded(make().await).await;
    reading::boxes_of_some_kinds_are_left_out_of_pages(make().await).await;
    reading::what_is_left_out_has_to_be_there(make().await).await;
    reading::a_cursor_stops_where_a_commit_ends(make().await).await;
    reading::a_moment_is_where_its_last_commit_ends(make().await).await;
    reading::a_stream_is_read_in_pages(make().await).await;
    reading::streams_are_read_after_a_version(make().await).await;
    reading::the_last_of_each_stream(make().await).await;
    reading::the_last_of_a_stream_as_of_a_position(make().await).await;
    reading::events_of_a_type_are_found(make().await).await;
    reading::what_belongs_to_a_platform_is_found(make().await).await;
    reading::a_stream_with_a_later_event_is_not_untouched(make().await).await;
    keys::a_key_counts_for_a_day(make().await).await;
    keys::a_key_counts_across_midnight(make().await).await;
    keys::a_key_is_used_once(make().await).await;
    keys::readers_see_used_keys_without_the_lock(make().await).await;
    keys::a_key_of_a_faster_clock_counts(make().await).await;
    keys::a_key_of_another_process_counts(make().await).await;
    keys::old_keys_are_purged(make().await).await;
    racing::the_lock_excludes(make().await).await;
    racing::a_dropped_writer_gives_the_lock_back(make().await).await;
    racing::racing_writers_lose_nothing(make().await).await;
}

/// A small event of `stream`.
#[must_use]
pub fn event(stream: u128, version: u32) -> NewEvent {
    let stream = Uuid::from_u128(stream);
    NewEvent {
        event_id: Uuid::from_u128(stream.as_u128() << 32 | u128::from(version)),
        stream,
        stream_kind: 7,
        version,
        event_type: 11,
        schema_version: 1,
        effective_at_ms: None,
        actor: None,
        cause_id: Uuid::from_u128(3),
        platform: Uuid::from_u128(4),
        data: br#"{"amount_minor":100}"#.to_vec(),
        sealed: None,
    }
}

/// A batch of `events` recorded at `recorded_at_ms`, told apart by `id`.
#[must_use]
pub fn batch(id: u128, recorded_at_ms: i64, events: Vec<NewEvent>) -> Batch {
    Batch { id: Uuid::from_u128(id), recorded_at_ms, events, keys: Vec::new() }
}

/// The use of a key that `number` stands for.
#[must_use]
pub fn key(number: u8) -> KeyUse {
    KeyUse { key: [number; 32], fingerprint: [!number; 32], object: Some(Uuid::from_u128(number.into())) }
}

/// An appender of `log`.
///
/// # Panics
///
/// If the log has none.
pub async fn writer(log: &Arc<dyn Log>) -> Box<dyn Appender> {
    log.appender(SHARD, Uuid::from_u128(1)).await.expect("a log has an appender")
}

/// Locks, appends, and answers the new head.
///
/// # Panics
///
/// If either fails.
pub async fn append(writer: &mut dyn Appender, batch: Batch) -> Head {
    let keys: Vec<Key> = batch.keys.iter().map(|used| used.key).collect();
    writer.lock(&keys, batch.recorded_at_ms).await.expect("the lock is free");
    writer.append(batch).await.expect("the batch fits")
}

/// Requires that the log is exactly `count` events at the positions from 1 on, and answers the head.
///
/// # Panics
///
/// If it is not.
pub async fn holds(log: &Arc<dyn Log>, count: Position) -> Head {
    let head = log.head(SHARD).await.expect("a head");
    assert_eq!(head.position, count);
    let mut after = 0;
    while after < count {
        let page = log.read(SHARD, after, Position::MAX).await.expect("no position is missing");
        assert!(!page.is_empty(), "the log ends at {after}, not at {count}");
        for event in page {
            assert_eq!(event.position, after + 1);
            after += 1;
        }
    }
    head
}
