//! Cache of the newest events of each shard, filled by the process that appended them. Readers that follow the log, and
//! the filling of tiles, read from this cache instead of the database.
//!
//! Only committed events are cached. A commit of another process leaves a gap; the cache then drops all events before
//! the gap. All shards share one limit, and the shard with the most in the cache gives up its oldest first.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use daybook_proof::Hash;

use crate::{PAGE, Position, Recorded, Shard, StreamKind};

/// Maximum size of the cached events of all shards in bytes: about one second of events at the highest rate.
const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;
/// Maximum number of cached leaf hashes of all shards, 32 bytes each. Fewer leaves are added between two checkpoints.
const MAX_LEAVES: usize = 1 << 18;

/// Cache of the newest events of each shard.
#[derive(Default)]
pub(crate) struct RecentEvents(Mutex<HashMap<Shard, EventWindow>>);

/// Positions without a gap: events up to `end`, and leaf hashes that may go further back.
#[derive(Default)]
struct EventWindow {
    end: Position,
    bytes: usize,
    events: VecDeque<Recorded>,
    leaves: VecDeque<Hash>,
}

impl RecentEvents {
    /// Adds the events of a commit, which begin after position `after`, and their leaf hashes. Boxes of stream kinds
    /// `boxless` are not kept.
    pub(crate) fn keep(
        &self,
        shard: Shard,
        after: Position,
        events: impl ExactSizeIterator<Item = Recorded>,
        leaves: &[Hash],
        boxless: &[StreamKind],
    ) {
        let mut windows = self.windows();
        let window = windows.entry(shard).or_default();
        if window.end != after {
            *window = EventWindow { end: after, ..EventWindow::default() };
        }
        window.end += events.len() as u64;
        window.leaves.extend(leaves);
        for mut one in events {
            if boxless.contains(&one.event.stream_kind) {
                one.event.sealed = None;
            }
            window.bytes += bytes(&one);
            window.events.push_back(one);
        }
        trim(&mut windows);
    }

    /// Returns the page of events after `after` up to `up_to`; `None` if one of them is not cached.
    pub(crate) fn events(&self, shard: Shard, after: Position, up_to: Position) -> Option<Vec<Recorded>> {
        let windows = self.windows();
        let window = windows.get(&shard)?;
        let last = up_to.min(after.saturating_add(PAGE.into()));
        let range = window.range(window.events.len(), after, last)?;
        Some(window.events.range(range).cloned().collect())
    }

    /// Returns the leaf hashes of the events after `after` up to `up_to`; `None` if one of them is not cached.
    pub(crate) fn leaves(&self, shard: Shard, after: Position, up_to: Position) -> Option<Vec<Hash>> {
        let windows = self.windows();
        let window = windows.get(&shard)?;
        let range = window.range(window.leaves.len(), after, up_to)?;
        Some(window.leaves.range(range).copied().collect())
    }

    fn windows(&self) -> MutexGuard<'_, HashMap<Shard, EventWindow>> {
        // Code under the lock cannot panic half way through a change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventWindow {
    /// Returns the place of the positions after `after` up to `up_to` among the newest `kept` items; `None` if one of
    /// them is missing.
    fn range(&self, kept: usize, after: Position, up_to: Position) -> Option<std::ops::Range<usize>> {
        let begin = self.end.checked_sub(kept as u64)?;
        if up_to > self.end {
            return None;
        }
        let place = |position: Position| usize::try_from(position.checked_sub(begin)?).ok();
        let (from, to) = (place(after)?, place(up_to)?);
        (from <= to).then_some(from..to)
    }
}

/// Drops what exceeds the limits of all shards together.
fn trim(windows: &mut HashMap<Shard, EventWindow>) {
    let all: usize = windows.values().map(|window| window.bytes).sum();
    let mut surplus = all.saturating_sub(MAX_EVENT_BYTES);
    while surplus > 0 {
        let Some(largest) = windows.values_mut().max_by_key(|window| window.bytes) else { break };
        let Some(oldest) = largest.events.pop_front() else { break };
        let freed = bytes(&oldest);
        largest.bytes -= freed;
        surplus = surplus.saturating_sub(freed);
    }
    let leaves: usize = windows.values().map(|window| window.leaves.len()).sum();
    if let Some(longest) = windows.values_mut().max_by_key(|window| window.leaves.len()) {
        let surplus = leaves.saturating_sub(MAX_LEAVES).min(longest.leaves.len());
        longest.leaves.drain(..surplus);
    }
}

fn bytes(recorded: &Recorded) -> usize {
    let sealed = recorded.event.sealed.as_ref().map_or(0, Vec::len);
    size_of::<Recorded>() + recorded.event.data.len() + sealed
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::EncodedEvent;

    fn event(position: Position, bytes: usize) -> Recorded {
        let event = EncodedEvent {
            event_id: Uuid::from_u128(position.into()),
            stream: Uuid::nil(),
            stream_kind: 1,
            version: 1,
            event_type: 1,
            schema_version: 1,
            effective_at_ms: None,
            actor: None,
            cause_id: Uuid::nil(),
            platform: Uuid::nil(),
            data: vec![],
            sealed: Some(vec![0; bytes]),
        };
        Recorded { position, recorded_at_ms: 0, event }
    }

    /// Caches the events at positions `after + 1 ..= up_to`.
    fn keep(recent: &RecentEvents, after: Position, up_to: Position) {
        let events: Vec<_> = (after + 1..=up_to).map(|position| event(position, 10)).collect();
        let leaves: Vec<Hash> = (after + 1..=up_to).map(|position| [position.to_le_bytes()[0]; 32]).collect();
        recent.keep(1, after, events.into_iter(), &leaves, &[]);
    }

    fn positions(events: Option<Vec<Recorded>>) -> Option<Vec<Position>> {
        Some(events?.iter().map(|event| event.position).collect())
    }

    #[test]
    fn cached_events_are_returned_and_no_others() {
        let recent = RecentEvents::default();
        assert_eq!(recent.events(1, 0, 0), None, "a shard without events");
        keep(&recent, 10, 13);
        keep(&recent, 13, 15);
        assert_eq!(positions(recent.events(1, 10, 15)), Some((11..=15).collect()));
        assert_eq!(positions(recent.events(1, 12, 14)), Some(vec![13, 14]));
        assert_eq!(positions(recent.events(1, 15, 15)), Some(vec![]));
        assert_eq!(recent.leaves(1, 12, 14), Some(vec![[13; 32], [14; 32]]));
        for (after, up_to) in [(9, 15), (10, 16), (15, 14), (16, 16)] {
            assert_eq!(recent.events(1, after, up_to), None, "{after} to {up_to}");
        }
        assert_eq!(recent.events(2, 10, 15), None, "of another shard");
    }

    #[test]
    fn cached_page_has_at_most_page_events() {
        let recent = RecentEvents::default();
        keep(&recent, 0, 2 * u64::from(PAGE));
        let page = recent.events(1, 5, 2 * u64::from(PAGE)).expect("kept");
        assert_eq!((page.len(), page[0].position), (PAGE as usize, 6));
    }

    #[test]
    fn foreign_commit_drops_older_events() {
        let recent = RecentEvents::default();
        keep(&recent, 0, 5);
        keep(&recent, 7, 9);
        assert_eq!(recent.events(1, 4, 9), None);
        assert_eq!(recent.leaves(1, 4, 5), None);
        assert_eq!(positions(recent.events(1, 7, 9)), Some(vec![8, 9]));
    }

    #[test]
    fn cache_evicts_oldest_and_omits_boxes() {
        let recent = RecentEvents::default();
        let events = [event(1, 10), event(2, MAX_EVENT_BYTES)];
        recent.keep(1, 0, events.into_iter(), &[[1; 32], [2; 32]], &[]);
        assert_eq!(recent.events(1, 1, 2), None, "larger than the whole cache");
        assert_eq!(recent.leaves(1, 0, 2), Some(vec![[1; 32], [2; 32]]));
        recent.keep(1, 2, [event(3, MAX_EVENT_BYTES)].into_iter(), &[[3; 32]], &[1]);
        let kept = recent.events(1, 2, 3).expect("kept");
        assert_eq!(kept[0].event.sealed, None);
    }

    #[test]
    fn shards_share_one_limit() {
        let recent = RecentEvents::default();
        let third = MAX_EVENT_BYTES / 3;
        recent.keep(1, 0, [event(1, third), event(2, third)].into_iter(), &[], &[]);
        recent.keep(2, 0, [event(1, third)].into_iter(), &[], &[]);
        assert_eq!(recent.events(1, 0, 2), None, "the larger shard gave up its oldest event");
        assert_eq!(positions(recent.events(1, 1, 2)), Some(vec![2]));
        assert_eq!(positions(recent.events(2, 0, 1)), Some(vec![1]));
        let leaves = vec![[0; 32]; MAX_LEAVES];
        recent.keep(3, 0, std::iter::empty(), &leaves, &[]);
        recent.keep(4, 0, std::iter::empty(), &leaves[..10], &[]);
        let kept: usize = recent.windows().values().map(|window| window.leaves.len()).sum();
        assert_eq!(kept, MAX_LEAVES);
    }
}
