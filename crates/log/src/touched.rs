//! Recently changed streams, as far as this process knows. A cache of states checks here whether an entry is current,
//! without a query.
//!
//! Only commits of this process are noted. A commit of another process leaves a gap; nothing is known about positions
//! before the gap.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{NewEvent, Position, Shard, StreamId};

/// Maximum number of streams of a shard, about 6 MB. With one more, all of them are dropped. The capacity is allocated
/// at the beginning, so a commit does not wait while the map grows.
const STREAMS: usize = 1 << 17;

/// Recently changed streams of each shard.
#[derive(Debug, Default)]
pub(crate) struct Touched(Mutex<HashMap<Shard, Lately>>);

/// Streams with an event of version 2 or higher after `begin` and up to `end`, each with the position of its last
/// event.
#[derive(Debug)]
struct Lately {
    begin: Position,
    end: Position,
    streams: HashMap<StreamId, Position>,
}

impl Lately {
    /// Creates an empty window: nothing is known about positions up to `end`.
    fn behind(end: Position) -> Self {
        Self { begin: end, end, streams: HashMap::with_capacity(STREAMS) }
    }
}

impl Touched {
    /// Starts the window of a shard at `head`, unless the shard has one already.
    pub(crate) fn begin(&self, shard: Shard, head: Position) {
        self.shards().entry(shard).or_insert_with(|| Lately::behind(head));
    }

    /// Notes the `events` of a commit, which begin after position `after`.
    pub(crate) fn note<'a>(
        &self,
        shard: Shard,
        after: Position,
        events: impl ExactSizeIterator<Item = &'a NewEvent>,
    ) {
        let mut shards = self.shards();
        let known = shards.entry(shard).or_insert_with(|| Lately::behind(after));
        let is_too_much = known.streams.len() > STREAMS;
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
    pub(crate) fn untouched(
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

    fn shards(&self) -> MutexGuard<'_, HashMap<Shard, Lately>> {
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

    fn event(stream: Uuid, version: u32) -> NewEvent {
        NewEvent {
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
    fn note(touched: &Touched, after: Position, streams: &[(Uuid, u32)]) {
        let events: Vec<NewEvent> =
            streams.iter().map(|(stream, version)| event(*stream, *version)).collect();
        touched.note(1, after, events.iter());
    }

    fn known(touched: &Touched, head: Position, stream: Uuid, position: Position) -> bool {
        touched.untouched(1, head, &[(stream, position)]) == [true]
    }

    #[test]
    fn stream_is_untouched_until_its_next_event() {
        let touched = Touched::default();
        touched.begin(1, 10);
        assert!(known(&touched, 10, ONE, 10));
        note(&touched, 10, &[(TWO, 5), (ONE, 3), (TWO, 6)]);
        assert!(!known(&touched, 13, ONE, 10) && !known(&touched, 13, ONE, 11));
        assert!(known(&touched, 13, ONE, 12), "the event itself was seen");
        note(&touched, 13, &[(TWO, 7)]);
        assert!(known(&touched, 14, ONE, 13) && !known(&touched, 14, TWO, 13));
        assert!(known(&touched, 12, ONE, 12), "an older end of the log is known as well");
    }

    #[test]
    fn window_ends_at_a_foreign_commit() {
        let touched = Touched::default();
        assert!(!known(&touched, 0, ONE, 0), "the shard has no window");
        touched.begin(1, 10);
        assert!(!known(&touched, 11, ONE, 10), "another process added an event");
        assert!(!known(&touched, 10, ONE, 9), "it may have an event before the window");
        note(&touched, 11, &[(TWO, 2)]);
        assert!(!known(&touched, 12, ONE, 10), "the foreign event may be of this stream");
        assert!(known(&touched, 12, ONE, 11));
        touched.begin(1, 20);
        assert!(known(&touched, 12, ONE, 11), "the window exists already");
    }

    #[test]
    fn overfull_window_is_cleared() {
        let touched = Touched::default();
        touched.begin(1, 0);
        let many = u128::try_from(STREAMS).expect("fits") + 1;
        let streams: Vec<(Uuid, u32)> = (1..=many).map(|id| (Uuid::from_u128(id), 2)).collect();
        note(&touched, 0, &streams);
        let end = STREAMS as u64 + 1;
        assert!(!known(&touched, end, ONE, 0) && known(&touched, end, ONE, end));
        note(&touched, end, &[(TWO, 3)]);
        assert!(!known(&touched, end + 1, ONE, 0), "forgotten");
        assert!(known(&touched, end + 1, ONE, end) && !known(&touched, end + 1, TWO, end));
    }
}
