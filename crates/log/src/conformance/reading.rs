//! Reading: bounded pages without gaps, commit boundaries, streams.

use std::sync::Arc;

use uuid::Uuid;

use super::{LARGE_PAYLOADS, NOON_MS, SHARD, append, batch, event, writer};
use crate::{AsOf, EncodedEvent, Error, Head, KindFilter, Log, PAGE, Position, Recorded, Span};

pub(super) async fn pages_are_bounded(log: Arc<dyn Log>) {
    let page = Position::from(PAGE);
    let mut writer = writer(&log).await;
    for (id, versions) in [(1, 1..=PAGE - 1), (2, PAGE..=PAGE + 3)] {
        append(&mut *writer, batch(id, NOON_MS, versions.map(|version| event(1, version)).collect())).await;
    }
    let end = page + 3;
    for (after, up_to, expected) in [
        (0, 0, 0..0),
        (5, 3, 0..0),
        (0, 1, 1..2),
        (7, 9, 8..10),
        (0, Position::MAX, 1..page + 1),
        (1, Position::MAX, 2..page + 2),
        (page - 1, end, page..end + 1),
        (end - 1, Position::MAX, end..end + 1),
        (end, Position::MAX, 0..0),
        (end + 100, Position::MAX, 0..0),
        (Position::MAX, Position::MAX, 0..0),
    ] {
        let read = positions(log.read(SHARD, after, up_to).await.expect("a page"));
        assert_eq!(read, expected.clone().collect::<Vec<_>>(), "after {after} up to {up_to}");
        writer.lock(&[], NOON_MS).await.expect("the lock is free");
        let locked = positions(writer.read(after, up_to).await.expect("a page"));
        assert_eq!(locked, read, "under the lock, after {after} up to {up_to}");
        writer.release().await.expect("it was held");
    }
}

pub(super) async fn pages_omit_boxes_of_some_kinds(log: Arc<dyn Log>) {
    let small = EncodedEvent { sealed: Some(b"small".to_vec()), ..event(1, 1) };
    let bulky = EncodedEvent { stream_kind: LARGE_PAYLOADS, sealed: Some(b"large".to_vec()), ..event(2, 1) };
    let mut writer = writer(&log).await;
    append(&mut *writer, batch(1, NOON_MS, vec![bulky.clone(), small.clone()])).await;

    let expected = [EncodedEvent { sealed: None, ..bulky.clone() }, small];
    assert_eq!(appended(log.read(SHARD, 0, 2).await.expect("a page")), expected);
    writer.lock(&[], NOON_MS).await.expect("the lock is free");
    assert_eq!(appended(writer.read(0, 2).await.expect("a page")), expected, "under the lock");
    writer.release().await.expect("it was held");

    let stream = bulky.stream;
    let whole = log.streams(SHARD, &[(stream, 0)]).await.expect("events");
    let page = log.stream_page(SHARD, stream, 0, 1).await.expect("a page");
    let last = log.last(SHARD, &[stream]).await.expect("events");
    for found in [whole, page, last] {
        assert_eq!(appended(found), std::slice::from_ref(&bulky));
    }
}

pub(super) async fn filtered_read_detects_missing_positions(log: Arc<dyn Log>) {
    let end = Position::from(PAGE) + 3;
    let mut writer = writer(&log).await;
    // Every third event is of another kind.
    let of = |version: u32| EncodedEvent {
        stream_kind: if version.is_multiple_of(3) { 9 } else { 7 },
        ..event(1, version)
    };
    append(&mut *writer, batch(1, NOON_MS, (1..=PAGE + 3).map(of).collect())).await;
    let kind_filter = |kinds: &[_], later: &[_]| KindFilter { kinds: kinds.to_vec(), later: later.to_vec() };
    for (after, up_to) in [(0, 0), (5, 3), (0, 2), (0, 3), (1, 7), (2, end), (0, Position::MAX), (end, end)] {
        let all = positions(log.read(SHARD, after, up_to).await.expect("a page"));
        let without = async |kind_filter: KindFilter, is_left: &dyn Fn(Position) -> bool| {
            let read = log.read_filtered(SHARD, after, up_to, &kind_filter).await.expect("a page");
            let expected: Vec<_> = all.iter().copied().filter(|position| is_left(*position)).collect();
            assert_eq!(positions(read), expected, "after {after} up to {up_to} without {kind_filter:?}");
        };
        without(kind_filter(&[], &[]), &|_| true).await;
        without(kind_filter(&[9], &[]), &|position| position % 3 != 0).await;
        without(kind_filter(&[7, 9], &[]), &|_| false).await;
        // The stream's first event is of kind 7. In a real log all events of a stream have the same kind.
        without(kind_filter(&[], &[7]), &|position| position == 1 || position % 3 == 0).await;
        without(kind_filter(&[9], &[7]), &|position| position == 1).await;
    }
    for kind_filter in
        [kind_filter(&[], &[]), kind_filter(&[7], &[]), kind_filter(&[7, 9], &[]), kind_filter(&[], &[7])]
    {
        let beyond = log.read_filtered(SHARD, end - 1, end + 1, &kind_filter).await;
        assert!(matches!(beyond, Err(Error::Corrupt { position, .. }) if position == end), "{beyond:?}");
    }
}

pub(super) async fn boundary_is_the_end_of_a_commit(log: Arc<dyn Log>) {
    assert_eq!(log.boundary(SHARD, 5).await.expect("a boundary"), Head::default());
    let mut writer = writer(&log).await;
    let mut heads = vec![Head::default()];
    for (number, size) in [3_u32, 1, 4, 1, 5, 9, 2].into_iter().enumerate() {
        let events = (1..=size).map(|version| event(number as u128, version)).collect();
        heads.push(append(&mut *writer, batch(number as u128, NOON_MS, events)).await);
        let end = heads.last().map_or(0, |head| head.position);
        for position in (0..end + 2).chain([Position::MAX]) {
            let newest = heads.iter().rev().find(|head| head.position <= position);
            assert_eq!(log.boundary(SHARD, position).await.ok().as_ref(), newest, "at {position}");
        }
    }
}

pub(super) async fn time_maps_to_its_last_position(log: Arc<dyn Log>) {
    assert_eq!(log.position_at(SHARD, NOON_MS).await.expect("a position"), 0);
    let mut writer = writer(&log).await;
    // Several commits at the same time, and times without a commit.
    for (id, at_ms) in [(1, 0), (2, 0), (3, 5), (4, 7), (5, 7)] {
        append(&mut *writer, batch(id, NOON_MS + at_ms, vec![event(id, 1), event(id, 2)])).await;
    }
    for (time_ms, expected) in [
        (i64::MIN, 0),
        (0, 0),
        (NOON_MS - 1, 0),
        (NOON_MS, 4),
        (NOON_MS + 4, 4),
        (NOON_MS + 5, 6),
        (NOON_MS + 6, 6),
        (NOON_MS + 7, 10),
        (i64::MAX, 10),
    ] {
        assert_eq!(log.position_at(SHARD, time_ms).await.expect("a position"), expected, "at {time_ms}");
    }
    assert_eq!(log.position_at(SHARD + 1, i64::MAX).await.expect("a position"), 0);
}

pub(super) async fn stream_is_read_in_pages(log: Arc<dyn Log>) {
    let mut writer = writer(&log).await;
    for (id, versions) in [(1, 1..=3), (2, 4..=PAGE + 2)] {
        let both = versions.flat_map(|version| [event(1, version), event(2, version)]);
        append(&mut *writer, batch(id, NOON_MS, both.collect())).await;
    }
    let end = PAGE + 2;
    for (after, limit, expected) in [
        (0, 0, 0..0),
        (0, 2, 1..3),
        (2, 3, 3..6),
        (0, u32::MAX, 1..PAGE + 1),
        (1, PAGE + 1, 2..PAGE + 2),
        (end - 1, 5, end..end + 1),
        (end, 5, 0..0),
        (u32::MAX, 1, 0..0),
        (u32::MAX, u32::MAX, 0..0),
    ] {
        let page = log.stream_page(SHARD, Uuid::from_u128(2), after, limit).await.expect("a page");
        let expected: Vec<_> = expected.map(|version| (2, version)).collect();
        assert_eq!(places(&page), expected, "{limit} after {after}");
    }
    let page = log.stream_page(SHARD, Uuid::from_u128(9), 0, 5).await.expect("a page");
    assert_eq!(page, vec![]);
}

pub(super) async fn streams_are_read_after_a_version(log: Arc<dyn Log>) {
    given_three_streams(&log).await;
    for (asked, expected) in [
        (vec![], vec![]),
        (vec![(1, 0)], vec![(1, 1), (1, 2), (1, 3)]),
        (vec![(3, 0), (1, 2)], vec![(1, 3), (3, 1)]),
        (vec![(2, 1), (9, 0), (1, 3)], vec![(2, 2)]),
        (vec![(1, u32::MAX)], vec![]),
    ] {
        let asked: Vec<_> =
            asked.into_iter().map(|(stream, after)| (Uuid::from_u128(stream), after)).collect();
        assert_eq!(places(&log.streams(SHARD, &asked).await.expect("events")), expected, "{asked:?}");
    }
    assert_eq!(log.streams(SHARD + 1, &[(Uuid::from_u128(1), 0)]).await.expect("events"), vec![]);
}

pub(super) async fn last_event_of_each_stream_is_found(log: Arc<dyn Log>) {
    given_three_streams(&log).await;
    for (asked, expected) in
        [(vec![], vec![]), (vec![3, 1], vec![(1, 3), (3, 1)]), (vec![9, 2], vec![(2, 2)])]
    {
        let asked: Vec<_> = asked.into_iter().map(Uuid::from_u128).collect();
        assert_eq!(places(&log.last(SHARD, &asked).await.expect("events")), expected, "{asked:?}");
    }
}

pub(super) async fn last_event_as_of_position_is_found(log: Arc<dyn Log>) {
    let mut writer = writer(&log).await;
    // Stream 2 has the versions 1, 2, … at the positions 2, 4, …
    let both = (1..=9).flat_map(|version| [event(1, version), event(2, version)]);
    append(&mut *writer, batch(1, NOON_MS, both.collect())).await;
    let table: [((u32, Position), u32, Option<u32>); 12] = [
        ((0, 0), 9, None),
        ((0, 1), 9, None),
        ((0, 2), 9, Some(1)),
        ((0, 11), 9, Some(5)),
        ((4, 11), 9, Some(5)),
        ((5, 11), 9, None),
        ((0, Position::MAX), 9, Some(9)),
        ((0, Position::MAX), u32::MAX, Some(9)),
        ((0, 18), 3, Some(3)),
        ((6, 15), 0, None),
        ((9, 18), 9, None),
        ((u32::MAX, 18), u32::MAX, None),
    ];
    for ((after, position), reach, expected) in table {
        // A stream that is named twice is answered twice, and an unknown stream is answered with `None`.
        let as_of = |stream| AsOf { stream: Uuid::from_u128(stream), after, position };
        let found = log.last_as_of(SHARD, &[as_of(2), as_of(3), as_of(2)], reach).await.expect("events");
        let found: Vec<_> = found.iter().map(|one| one.as_ref().map(|one| one.event.version)).collect();
        assert_eq!(found, [expected, None, expected], "{reach} after {after} as of {position}");
    }
    assert_eq!(log.last_as_of(SHARD, &[], 5).await.expect("nothing"), vec![]);
}

pub(super) async fn later_event_marks_stream_as_touched(log: Arc<dyn Log>) {
    let mut writer = writer(&log).await;
    append(&mut *writer, batch(1, NOON_MS, vec![event(1, 1), event(2, 1), event(1, 2)])).await;
    append(&mut *writer, batch(2, NOON_MS, vec![event(2, 2)])).await;
    let asked =
        [(1, 2), (1, 3), (2, 3), (2, 4)].map(|(stream, position)| (Uuid::from_u128(stream), position));
    assert_eq!(log.unchanged_since(SHARD, 4, &asked), [false, true, false, true]);
    assert_eq!(
        log.unchanged_since(SHARD, 5, &asked),
        [false; 4],
        "nothing is known beyond the newest position seen"
    );
}

pub(super) async fn events_of_a_type_are_found(log: Arc<dyn Log>) {
    let mut writer = writer(&log).await;
    let rare = |stream| EncodedEvent { event_type: 19, ..event(stream, 1) };
    append(&mut *writer, batch(1, NOON_MS, vec![event(1, 1), rare(2)])).await;
    append(&mut *writer, batch(2, NOON_MS, vec![rare(3), event(1, 2)])).await;
    for (event_type, after, expected) in
        [(19, 0, vec![(2, 2), (3, 3)]), (19, 2, vec![(3, 3)]), (19, 4, vec![]), (12, 0, vec![])]
    {
        let found = log.of_type(SHARD, event_type, after).await.expect("events");
        let found: Vec<_> = found.into_iter().map(|place| (place.position, place.stream.as_u128())).collect();
        assert_eq!(found, expected, "type {event_type} after {after}");
    }
}

pub(super) async fn events_of_a_platform_are_found(log: Arc<dyn Log>) {
    let mut writer = writer(&log).await;
    let theirs = |stream, version| EncodedEvent { platform: Uuid::from_u128(9), ..event(stream, version) };
    let other_kind = EncodedEvent { stream_kind: LARGE_PAYLOADS, ..theirs(3, 1) };
    append(&mut *writer, batch(1, NOON_MS, vec![event(1, 1), theirs(2, 1), event(1, 2)])).await;
    append(&mut *writer, batch(2, NOON_MS, vec![theirs(2, 2), other_kind, theirs(2, 3)])).await;
    let kind = event(1, 1).stream_kind;
    let span = |(after, up_to)| Span { after, up_to };
    for (kinds, range, limit, expected) in [
        (vec![kind], (0, 6), 10, vec![2, 4, 6]),
        (vec![kind, LARGE_PAYLOADS], (0, 6), 10, vec![2, 4, 5, 6]),
        (vec![kind], (0, 6), 2, vec![2, 4]),
        (vec![kind], (2, 5), 10, vec![4]),
        (vec![kind], (6, Position::MAX), 10, vec![]),
        (vec![], (0, 6), 10, vec![]),
    ] {
        let found =
            log.of_platform(SHARD, Uuid::from_u128(9), &kinds, span(range), limit).await.expect("events");
        assert_eq!(positions(found), expected, "{kinds:?} in {range:?}, at most {limit}");
    }
    let all = log.of_platform(SHARD, Uuid::from_u128(9), &[kind], span((0, 6)), 10).await.expect("events");
    assert_eq!(all[0], log.read(SHARD, 1, 2).await.expect("a page")[0]);
}

async fn given_three_streams(log: &Arc<dyn Log>) {
    let mut writer = writer(log).await;
    append(&mut *writer, batch(1, NOON_MS, vec![event(1, 1), event(2, 1), event(1, 2)])).await;
    append(&mut *writer, batch(2, NOON_MS, vec![event(3, 1), event(2, 2), event(1, 3)])).await;
}

fn appended(events: Vec<Recorded>) -> Vec<EncodedEvent> {
    events.into_iter().map(|found| found.event).collect()
}

fn positions(events: Vec<Recorded>) -> Vec<Position> {
    events.into_iter().map(|found| found.position).collect()
}

fn places(events: &[Recorded]) -> Vec<(u128, u32)> {
    events.iter().map(|found| (found.event.stream.as_u128(), found.event.version)).collect()
}
