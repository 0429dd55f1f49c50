//! Idempotency keys: recorded with the events or not at all, valid for exactly 24 hours.

use std::sync::Arc;
use std::time::Duration;

use super::{NOON_MS, SHARD, append, batch, event, holds, key, writer};
use crate::key::LIFETIME_MS;
use crate::{Appender, Error, Key, KeyUse, Log, UsedKey};

const HOUR_MS: i64 = 60 * 60 * 1000;

pub(super) async fn key_counts_for_24_hours(log: Arc<dyn Log>) {
    let mut writer = writer(&log).await;
    let mut bare = key(2);
    bare.object = None;
    use_keys(&mut *writer, 1, NOON_MS, vec![key(1), bare.clone()]).await;
    let both =
        [UsedKey { used: key(1), recorded_at_ms: NOON_MS }, UsedKey { used: bare, recorded_at_ms: NOON_MS }];
    for at in [NOON_MS, NOON_MS + 1, NOON_MS + LIFETIME_MS - 1] {
        assert_eq!(used(&mut *writer, &[[1; 32], [3; 32], [2; 32]], at).await, both, "at {at}");
    }
    assert_eq!(used(&mut *writer, &[[1; 32], [2; 32]], NOON_MS + LIFETIME_MS).await, []);
    assert_eq!(used(&mut *writer, &[], NOON_MS).await, []);

    use_keys(&mut *writer, 2, NOON_MS + LIFETIME_MS, vec![key(1)]).await;
    let again = UsedKey { used: key(1), recorded_at_ms: NOON_MS + LIFETIME_MS };
    assert_eq!(used(&mut *writer, &[[1; 32]], NOON_MS + LIFETIME_MS).await, [again]);
}

/// Three days later a key falls into the slot that may still have its old row.
pub(super) async fn key_counts_across_midnight(log: Arc<dyn Log>) {
    let mut writer = writer(&log).await;
    for day in 0..7 {
        let at = NOON_MS + 11 * HOUR_MS + day * (LIFETIME_MS + HOUR_MS);
        assert_eq!(used(&mut *writer, &[[1; 32]], at).await, [], "day {day}");
        use_keys(&mut *writer, day + 1, at, vec![key(1)]).await;
        let found = [UsedKey { used: key(1), recorded_at_ms: at }];
        for later in [2 * HOUR_MS, LIFETIME_MS - 1] {
            assert_eq!(
                used(&mut *writer, &[[1; 32]], at + later).await,
                found,
                "day {day}, {later} ms later"
            );
        }
    }
}

pub(super) async fn key_is_used_once(log: Arc<dyn Log>) {
    let mut writer = writer(&log).await;
    use_keys(&mut *writer, 1, NOON_MS, vec![key(1)]).await;
    for keys in [vec![key(2), key(1)], vec![key(3), key(3)]] {
        writer.lock(&[], NOON_MS).await.expect("the lock is free");
        let mut batch = batch(2, NOON_MS, vec![event(1, 2)]);
        batch.keys = keys;
        assert!(matches!(writer.append(batch).await, Err(Error::Refused(_))));
        holds(&log, 1).await;
    }
    assert_eq!(used(&mut *writer, &[[2; 32], [3; 32]], NOON_MS).await, []);
}

pub(super) async fn readers_see_used_keys_without_the_lock(log: Arc<dyn Log>) {
    let mut writer = writer(&log).await;
    use_keys(&mut *writer, 1, NOON_MS, vec![key(1)]).await;
    writer.lock(&[], NOON_MS).await.expect("the lock is free");
    let found = [UsedKey { used: key(1), recorded_at_ms: NOON_MS }];
    for (at, found) in [(NOON_MS + LIFETIME_MS - 1, found.as_slice()), (NOON_MS + LIFETIME_MS, &[])] {
        let used = log.used_keys(SHARD, &[[1; 32], [2; 32]], at).await.expect("nobody is in the way");
        assert_eq!(used, found, "at {at}");
    }
    assert_eq!(log.used_keys(SHARD, &[], NOON_MS).await.expect("nothing was asked"), []);
}

pub(super) async fn key_of_a_faster_clock_counts(log: Arc<dyn Log>) {
    let mut writer = writer(&log).await;
    let midnight = NOON_MS + 12 * HOUR_MS;
    use_keys(&mut *writer, 1, midnight + 1, vec![key(1)]).await;
    let found = [UsedKey { used: key(1), recorded_at_ms: midnight + 1 }];
    assert_eq!(used(&mut *writer, &[[1; 32]], midnight - 1).await, found);
}

/// A writer's knowledge of used keys ends at a commit of another process, however long the writer was alone.
pub(super) async fn key_of_another_process_counts(log: Arc<dyn Log>) {
    let (mut one, mut other) = (writer(&log).await, writer(&log).await);
    for number in 1..=20 {
        use_keys(&mut *one, number, NOON_MS, vec![key(100 + u8::try_from(number).expect("small"))]).await;
        // The writer may read the used keys meanwhile.
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(used(&mut *one, &[[1; 32]], NOON_MS).await, []);
    use_keys(&mut *other, 21, NOON_MS, vec![key(1)]).await;
    let found = [UsedKey { used: key(1), recorded_at_ms: NOON_MS }];
    assert_eq!(used(&mut *one, &[[1; 32]], NOON_MS).await, found);
    assert_eq!(used(&mut *one, &[[1; 32]], NOON_MS).await, found, "and from then on");
}

pub(super) async fn old_keys_are_purged(log: Arc<dyn Log>) {
    let mut writer = writer(&log).await;
    // More than one page of old keys, and two keys that are not old enough.
    let many = (0..6000_u32).map(|number| {
        let mut used = key(0);
        used.key[..4].copy_from_slice(&number.to_be_bytes());
        used
    });
    use_keys(&mut *writer, 1, NOON_MS, many.collect()).await;
    let young = NOON_MS + HOUR_MS;
    use_keys(&mut *writer, 2, young, vec![key(9), key(0xff)]).await;
    let then = NOON_MS + 2 * LIFETIME_MS;
    assert_eq!(log.purge_keys(SHARD, then - 1).await.expect("done"), 0);
    assert_eq!(log.purge_keys(SHARD, then).await.expect("done"), 6000);
    assert_eq!(log.purge_keys(SHARD, then).await.expect("done"), 0);
    assert_eq!(used(&mut *writer, &[[9; 32], [0xff; 32]], young).await.len(), 2);
    assert_eq!(log.purge_keys(SHARD, young + 2 * LIFETIME_MS).await.expect("done"), 2);
}

async fn use_keys(writer: &mut dyn Appender, number: i64, at_ms: i64, keys: Vec<KeyUse>) {
    let version = u32::try_from(number).expect("a small number");
    let mut batch = batch(version.into(), at_ms, vec![event(1, version)]);
    batch.keys = keys;
    append(writer, batch).await;
}

/// Returns those of `keys` that count at `now_ms`, in order of key.
async fn used(writer: &mut dyn Appender, keys: &[Key], now_ms: i64) -> Vec<UsedKey> {
    let mut used = writer.lock(keys, now_ms).await.expect("the lock is free").used;
    writer.release().await.expect("it was held");
    used.sort_by_key(|found| found.used.key);
    used
}
