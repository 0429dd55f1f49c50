//! Appending: a batch is stored completely or not at all, at consecutive positions, byte for byte.

use std::sync::Arc;

use uuid::Uuid;

use super::{NOON_MS, SHARD, append, batch, event, holds, key, writer};
use crate::{Error, Head, Log};

pub(super) async fn positions_follow_each_other(log: Arc<dyn Log>) {
    assert_eq!(log.head(SHARD).await.expect("a head"), Head::default());
    let mut writer = writer(&log).await;
    let mut position = 0;
    for number in 1..=20_u32 {
        let at = NOON_MS + i64::from(number / 2);
        let events = (1..=number % 4 + 1).map(|version| event(number.into(), version)).collect();
        let batch = batch(number.into(), at, events);
        position += batch.events.len() as u64;
        let locked = writer.lock(&[], at).await.expect("the lock is free");
        assert_eq!(locked.head, log.head(SHARD).await.expect("a head"));
        let head = writer.append(batch).await.expect("the batch fits");
        assert_eq!(head, Head { commit_no: number.into(), position, recorded_at_ms: at });
        assert_eq!(holds(&log, position).await, head);
    }
}

pub(super) async fn append_at_taken_version_changes_nothing(log: Arc<dyn Log>) {
    let mut writer = writer(&log).await;
    let before = append(&mut *writer, batch(1, NOON_MS, vec![event(1, 1)])).await;
    let mut taken = batch(2, NOON_MS, vec![event(2, 1), event(1, 1)]);
    taken.keys = vec![key(1)];
    for again in [taken, batch(3, NOON_MS, vec![event(3, 1), event(3, 1)])] {
        writer.lock(&[], NOON_MS).await.expect("the lock is free");
        assert!(matches!(writer.append(again).await, Err(Error::Conflict)));
        assert_eq!(holds(&log, 1).await, before);
    }
    let locked = writer.lock(&[key(1).key], NOON_MS).await.expect("the lock is free");
    assert_eq!((locked.head, locked.used), (before, vec![]));
    let after = writer.append(batch(4, NOON_MS, vec![event(2, 1)])).await.expect("the place is free");
    assert_eq!((after.commit_no, after.position), (2, 2));
}

pub(super) async fn invalid_batch_changes_nothing(log: Arc<dyn Log>) {
    let mut writer = writer(&log).await;
    let before = append(&mut *writer, batch(1, NOON_MS, vec![event(1, 1)])).await;
    let mut out_of_time = event(2, 1);
    out_of_time.effective_at_ms = Some(i64::MAX);
    for refused in [
        batch(2, NOON_MS, vec![]),
        batch(3, NOON_MS - 1, vec![event(2, 1)]),
        batch(4, i64::MAX, vec![event(2, 1)]),
        batch(5, NOON_MS, vec![out_of_time]),
    ] {
        writer.lock(&[], NOON_MS).await.expect("the lock is free");
        assert!(matches!(writer.append(refused).await, Err(Error::Refused(_))));
        assert_eq!(holds(&log, 1).await, before);
    }
}

pub(super) async fn release_leaves_no_trace(log: Arc<dyn Log>) {
    let (mut one, mut other) = (writer(&log).await, writer(&log).await);
    one.lock(&[key(1).key], NOON_MS).await.expect("the lock is free");
    one.release().await.expect("it was held");
    let head = append(&mut *other, batch(1, NOON_MS, vec![event(1, 1)])).await;
    assert_eq!(holds(&log, 1).await, head);
    assert_eq!(head.commit_no, 1);
}

pub(super) async fn calls_without_the_lock_are_refused(log: Arc<dyn Log>) {
    let mut writer = writer(&log).await;
    assert!(matches!(writer.append(batch(1, NOON_MS, vec![event(1, 1)])).await, Err(Error::Refused(_))));
    assert!(matches!(writer.read(0, 1).await, Err(Error::Refused(_))));
    assert!(matches!(writer.release().await, Err(Error::Refused(_))));
    holds(&log, 0).await;
}

pub(super) async fn bytes_are_kept(log: Arc<dyn Log>) {
    let plain = event(1, 1);
    let mut full = event(1, 2);
    full.data =
        "{ \"b\" :\t1.0e2,\r\n\"a\":\"\\u00e9 é \\ud83d\\ude00 \\\"\",\"a\": null , \"n\":-0 }\n".into();
    full.sealed = Some((0..=255).collect());
    full.actor = Some(Uuid::from_u128(u128::MAX));
    full.effective_at_ms = Some(-1);
    let mut edge = event(1, 3);
    edge.data = b" [ ] ".to_vec();
    edge.sealed = Some(vec![]);
    (edge.stream_kind, edge.event_type, edge.schema_version) = (i16::MIN, i16::MAX, 0);
    let events = vec![plain, full, edge];

    let mut writer = writer(&log).await;
    append(&mut *writer, batch(1, NOON_MS + 1, events.clone())).await;
    let read = log.read(SHARD, 0, 3).await.expect("a page");
    assert!(read.iter().all(|found| found.recorded_at_ms == NOON_MS + 1));
    assert_eq!(read.into_iter().map(|found| found.event).collect::<Vec<_>>(), events);
}

pub(super) async fn watchers_are_notified(log: Arc<dyn Log>) {
    let mut early = log.watch(SHARD);
    assert_eq!(*early.borrow_and_update(), 0);
    let mut writer = writer(&log).await;
    append(&mut *writer, batch(1, NOON_MS, vec![event(1, 1), event(1, 2)])).await;
    assert!(early.has_changed().expect("the log lives"));
    assert_eq!((*early.borrow_and_update(), *log.watch(SHARD).borrow()), (2, 2));

    log.observe(SHARD, 1);
    log.observe(SHARD, 2);
    assert!(!early.has_changed().expect("the log lives"), "no news");
    log.observe(SHARD, 9);
    assert_eq!(*early.borrow_and_update(), 9);

    writer.lock(&[], NOON_MS).await.expect("the lock is free");
    writer.append(batch(2, NOON_MS, vec![event(1, 1)])).await.expect_err("the place is taken");
    assert!(!early.has_changed().expect("the log lives"), "nothing was appended");
    assert_eq!(*log.watch(SHARD + 1).borrow(), 0);
}

pub(super) async fn commit_is_found_by_its_batch(log: Arc<dyn Log>) {
    let mut writer = writer(&log).await;
    let head = append(&mut *writer, batch(1, NOON_MS, vec![event(1, 1)])).await;
    append(&mut *writer, batch(2, NOON_MS, vec![event(1, 2)])).await;
    for (commit_no, id, found) in [(1, 1, Some(head)), (1, 2, None), (2, 1, None), (3, 3, None), (0, 1, None)]
    {
        let answer = writer.resolve(commit_no, Uuid::from_u128(id)).await.expect("an answer");
        assert_eq!(answer, found, "commit {commit_no}, batch {id}");
    }
    // A lock that the writer still holds is released first.
    writer.lock(&[], NOON_MS).await.expect("the lock is free");
    assert_eq!(writer.resolve(1, Uuid::from_u128(1)).await.expect("an answer"), Some(head));
    append(&mut *writer, batch(3, NOON_MS, vec![event(1, 3)])).await;
    holds(&log, 3).await;
}
