//! Conformance suite: checks of the guarantees of a log, through the trait alone. Logs that pass it are
//! interchangeable.
//!
//! Each check gets an empty log of its own and panics if a guarantee is broken. The checks pass times as arguments;
//! none reads a clock.
#![allow(clippy::expect_used, clippy::panic, reason = "a broken promise must stop the test")]

mod appending;
mod keys;
mod racing;
mod reading;

use std::sync::Arc;

pub use racing::race;
use uuid::Uuid;

use crate::{Appender, Batch, EncodedEvent, Head, Key, KeyUse, Log, Position, Shard, StreamKind};

/// Shard that the checks use. The log must have it from the start.
pub const SHARD: Shard = 1;

/// Time at which the checks begin: 2026-03-01, 12:00 UTC, in milliseconds since the Unix epoch.
pub const NOON_MS: i64 = 1_772_366_400_000;

/// Kind of streams of which the logs under test omit boxes from pages.
pub const LARGE_PAYLOADS: StreamKind = 8;

/// Runs every check, each on a new log from `make` that omits boxes of [`LARGE_PAYLOADS`] from pages.
///
/// # Panics
///
/// Panics if a check fails.
pub async fn run(make: impl AsyncFn() -> Arc<dyn Log>) {
    appending::positions_follow_each_other(make().await).await;
    appending::append_at_taken_version_changes_nothing(make().await).await;
    appending::invalid_batch_changes_nothing(make().await).await;
    appending::release_leaves_no_trace(make().await).await;
    appending::calls_without_the_lock_are_refused(make().await).await;
    appending::bytes_are_kept(make().await).await;
    appending::watchers_are_notified(make().await).await;
    appending::commit_is_found_by_its_batch(make().await).await;
    reading::pages_are_bounded(make().await).await;
    reading::pages_omit_boxes_of_some_kinds(make().await).await;
    reading::filtered_read_detects_missing_positions(make().await).await;
    reading::boundary_is_the_end_of_a_commit(make().await).await;
    reading::time_maps_to_its_last_position(make().await).await;
    reading::stream_is_read_in_pages(make().await).await;
    reading::streams_are_read_after_a_version(make().await).await;
    reading::last_event_of_each_stream_is_found(make().await).await;
    reading::last_event_as_of_position_is_found(make().await).await;
    reading::events_of_a_type_are_found(make().await).await;
    reading::events_of_a_platform_are_found(make().await).await;
    reading::later_event_marks_stream_as_touched(make().await).await;
    keys::key_counts_for_24_hours(make().await).await;
    keys::key_counts_across_midnight(make().await).await;
    keys::key_is_used_once(make().await).await;
    keys::readers_see_used_keys_without_the_lock(make().await).await;
    keys::key_of_a_faster_clock_counts(make().await).await;
    keys::key_of_another_process_counts(make().await).await;
    keys::old_keys_are_purged(make().await).await;
    racing::lock_is_exclusive(make().await).await;
    racing::dropped_writer_releases_the_lock(make().await).await;
    racing::racing_writers_lose_nothing(make().await).await;
}

/// Returns a small event of `stream`.
#[must_use]
pub fn event(stream: u128, version: u32) -> EncodedEvent {
    let stream = Uuid::from_u128(stream);
    EncodedEvent {
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

/// Returns a batch of `events` recorded at `recorded_at_ms`, with the id `id`.
#[must_use]
pub fn batch(id: u128, recorded_at_ms: i64, events: Vec<EncodedEvent>) -> Batch {
    Batch { id: Uuid::from_u128(id), recorded_at_ms, events, keys: Vec::new() }
}

/// Returns the use of a key that is derived from `number`.
#[must_use]
pub fn key(number: u8) -> KeyUse {
    KeyUse { key: [number; 32], fingerprint: [!number; 32], object: Some(Uuid::from_u128(number.into())) }
}

/// Opens an appender of `log`.
///
/// # Panics
///
/// Panics if the log returns an error.
pub async fn writer(log: &Arc<dyn Log>) -> Box<dyn Appender> {
    log.appender(SHARD, Uuid::from_u128(1)).await.expect("a log has an appender")
}

/// Takes the lock, appends `batch` and returns the new head.
///
/// # Panics
///
/// Panics if either fails.
pub async fn append(writer: &mut dyn Appender, batch: Batch) -> Head {
    let keys: Vec<Key> = batch.keys.iter().map(|used| used.key).collect();
    writer.lock(&keys, batch.recorded_at_ms).await.expect("the lock is free");
    writer.append(batch).await.expect("the batch fits")
}

/// Checks that the log has exactly `count` events, at the positions from 1 on, and returns the head.
///
/// # Panics
///
/// Panics if the log has other positions.
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
