//! Which streams something happened to lately, as far as this process knows: who remembers a state asks here whether it
//! is still that of the log, and costs the database nothing.
//!
//! Only this process's own commits are told. One of another process leaves a gap, and then nothing before it is known.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{NewEvent, Position, Shard, StreamId};

/// How many streams are kept of a shard, some 6 MB; with one more all are forgotten. There is room for them from the
/// beginning: who commits does not wait while they move into a larger map.
const STREAMS: usize = 1 << 17;

/// What happened lately in each shard.
#[derive(Debug, Default)]
pub(crate) struct Touched(Mutex<HashMap<Shard, Lately>>);

/// Every stream that existed at `begin` and got an event until `end`, with the position of its last one.
#[derive(Debug)]
struct Lately {
    begin: Position,
    end: Position,
    streams: HashMap<StreamId, Position>,
}

impl Lately {
    /// Nothing is known of what was before `end`.
    fn behind(end: Position) -> Self {
        Self { begin: end, end, streams: HashMap::with_capacity(STREAMS) }
    }
}

impl Touched {
    /// The log ended at `head` when nothing was known yet: what happens from then on is told.
    pub(crate) fn begin(&self, shard: Shard, head: Position) {
        self.shards().entry(shard).or_insert_with(|| Lately::behind(head));
    }

    /// Takes note of the `events` of a commit, which begin behind `after`.
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
        // What is new was not remembered by anybody before.
        for (position, old) in (after + 1..).zip(events).filter(|(_, event)| event.version > 1) {
            known.streams.insert(old.stream, position);
        }
    }

    /// Of each of `streams`, whether it is known that nothing happened to it after the position beside it, up to `head`.
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
        // Nothing is done under the lock that could panic half way.
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

    /// Notes one event of each of `streams`, behind `after`.
    fn note(touched: &Touched, after: Position, streams: &[(Uuid, u32)]) {
        let events: Vec<NewEvent> =
            streams.iter().map(|(stream, version)| event(*stream, *version)).collect();
        touched.note(1, after, events.iter());
    }

    fn known(touched: &Touched, head: Position, stream: Uuid, position: Position) -> bool {
        touched.untouched(1, head, &[(stream, position)]) == [true]
    }

    #[test]
    fn a_stream_is_untouched_until_something_happens_to_it() {
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
    fn nothing_is_known_of_what_others_did() {
        let touched = Touched::default();
        assert!(!known(&touched, 0, ONE, 0), "nothing was told of this shard");
        touched.begin(1, 10);
        assert!(!known(&touched, 11, ONE, 10), "another process added an event");
        assert!(!known(&touched, 10, ONE, 9), "it may have got one before");
        note(&touched, 11, &[(TWO, 2)]);
        assert!(!known(&touched, 12, ONE, 10), "it may have got the one between");
        assert!(known(&touched, 12, ONE, 11));
        touched.begin(1, 20);
        assert!(known(&touched, 12, ONE, 11), "it has begun already");
    }

    #[test]
    fn too_many_are_forgotten_and_nothing_is_believed_of_them() {
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
