//! Recently changed streams, as far as this process knows. A cache of states checks here whether an entry is current,
//! without a query.
//!
//! Only commits of this process are noted. A commit of another process leaves a gap; nothing is known about positions
//! before the gap.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{EncodedEvent, Position, Shard, StreamId};

/// Maximum number of streams of a shard, about 6 MB. With one more, all of them are dropped. The capacity is allocated
/// with the first commit, so no later commit waits while the map grows, and a shard without commits costs nothing.
const MAX_STREAMS: usize = 1 << 17;

/// Recently changed streams of each shard.
#[derive(Debug, Default)]
pub(crate) struct RecentChanges(Mutex<HashMap<Shard, ChangeWindow>>);

/// Streams with an event of version 2 or higher after `begin` and up to `end`, each with the position of its last
/// event.
#[derive(Debug)]
struct ChangeWindow {
    begin: Position,
    end: Position,
    streams: HashMap<StreamId, Position>,
}

impl ChangeWindow {
    /// Creates an empty window: nothing is known about positions up to `end`.
    fn behind(end: Position) -> Self {
        Self { begin: end, end, streams: HashMap::new() }
    }
}

impl RecentChanges {
    /// Starts the window of a shard at `head`, unless the shard has one already.
    pub(crate) fn begin(&self, shard: Shard, head: Position) {
        self.shards().entry(shard).or_insert_with(|| ChangeWindow::behind(head));
    }

    /// Notes the `events` of a commit, which begin after position `after`.
    pub(crate) fn note<'a>(
        &self,
        shard: Shard,
        after: Position,
        events: impl ExactSizeIterator<Item = &'a EncodedEvent>,
    ) {
        let mut shards = self.shards();
        let known = shards.entry(shard).or_insert_with(|| ChangeWindow::behind(after));
        if known.streams.capacity() == 0 {
            known.streams.reserve(MAX_STREAMS);
        }
        let is_too_much = known.streams.len() > MAX_STREAMS;
        if known.end != after || is_too_much {
            (known.begin, known.end) = (after, after);
            known.streams.clear();
        }
        known.end += events.len() as u64;
        // A new stream cannot be in a cache.
        for (position, old) in (after + 1..).zip(events).filter(|(_, event)| event.version > 1) {
            known.streams.insert(old.stream, position);
        }
    }

    /// Returns for each pair in `streams` true if the stream is known to have no event after that position, up to
    /// `head`.
    pub(crate) fn unchanged_since(
        &self,
        shard: Shard,
        head: Position,
        streams: &[(StreamId, Position)],
    ) -> Vec<bool> {
        let shards = self.shards();
        let known = shards.get(&shard).filter(|known| head <= known.end);
        let is_untouched = |(stream, position): &(StreamId, Position)| {
            known.is_some_and(|known| {
                known.begin <= *position && known.streams.get(stream).is_none_or(|last| last <= position)
            })
        };
        streams.iter().map(is_untouched).collect()
    }

    fn shards(&self) -> MutexGuard<'_, HashMap<Shard, ChangeWindow>> {
        // Code under the lock cannot panic half way through a change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const ONE: Uuid = Uuid::from_u128(1);
    const TWO: Uuid = Uuid::from_u128(2);

    fn event(stream: Uuid, version: u32) -> EncodedEvent {
        EncodedEvent {
            event_id: stream,
            stream,
            stream_kind: 1,
            version,
            event_type: 1,
            schema_version: 1,
            effective_at_ms: None,
            actor: None,
            cause_id: Uuid::nil(),
            platform: Uuid::nil(),
            data: vec![],
            sealed: None,
        }
    }

    /// Notes one event of each of `streams`, after position `after`.
    fn note(recent_changes: &RecentChanges, after: Position, streams: &[(Uuid, u32)]) {
        let events: Vec<EncodedEvent> =
            streams.iter().map(|(stream, version)| event(*stream, *version)).collect();
        recent_changes.note(1, after, events.iter());
    }

    fn known(recent_changes: &RecentChanges, head: Position, stream: Uuid, position: Position) -> bool {
        recent_changes.unchanged_since(1, head, &[(stream, position)]) == [true]
    }

    #[test]
    fn stream_is_untouched_until_its_next_event() {
        let recent_changes = RecentChanges::default();
        recent_changes.begin(1, 10);
        assert!(known(&recent_changes, 10, ONE, 10));
        note(&recent_changes, 10, &[(TWO, 5), (ONE, 3), (TWO, 6)]);
        assert!(!known(&recent_changes, 13, ONE, 10) && !known(&recent_changes, 13, ONE, 11));
        assert!(known(&recent_changes, 13, ONE, 12), "the event itself was seen");
        note(&recent_changes, 13, &[(TWO, 7)]);
        assert!(known(&recent_changes, 14, ONE, 13) && !known(&recent_changes, 14, TWO, 13));
        assert!(known(&recent_changes, 12, ONE, 12), "an older end of the log is known as well");
    }

    #[test]
    fn window_ends_at_a_foreign_commit() {
        let recent_changes = RecentChanges::default();
        assert!(!known(&recent_changes, 0, ONE, 0), "the shard has no window");
        recent_changes.begin(1, 10);
        assert!(!known(&recent_changes, 11, ONE, 10), "another process added an event");
        assert!(!known(&recent_changes, 10, ONE, 9), "it may have an event before the window");
        note(&recent_changes, 11, &[(TWO, 2)]);
        assert!(!known(&recent_changes, 12, ONE, 10), "the foreign event may be of this stream");
        assert!(known(&recent_changes, 12, ONE, 11));
        recent_changes.begin(1, 20);
        assert!(known(&recent_changes, 12, ONE, 11), "the window exists already");
    }

    #[test]
    fn overfull_window_is_cleared() {
        let recent_changes = RecentChanges::default();
        recent_changes.begin(1, 0);
        let many = u128::try_from(MAX_STREAMS).expect("fits") + 1;
        let streams: Vec<(Uuid, u32)> = (1..=many).map(|id| (Uuid::from_u128(id), 2)).collect();
        note(&recent_changes, 0, &streams);
        let end = MAX_STREAMS as u64 + 1;
        assert!(!known(&recent_changes, end, ONE, 0) && known(&recent_changes, end, ONE, end));
        note(&recent_changes, end, &[(TWO, 3)]);
        assert!(!known(&recent_changes, end + 1, ONE, 0), "forgotten");
        assert!(known(&recent_changes, end + 1, ONE, end) && !known(&recent_changes, end + 1, TWO, end));
    }

    #[test]
    fn shard_without_commits_allocates_nothing() {
        let recent_changes = RecentChanges::default();
        recent_changes.begin(1, 10);
        assert_eq!(recent_changes.shards()[&1].streams.capacity(), 0);
        note(&recent_changes, 10, &[(ONE, 2)]);
        assert!(recent_changes.shards()[&1].streams.capacity() >= MAX_STREAMS);
    }
}
