//! Support for tests of logs that several processes share: the memory of one process, which ends with it.

use tokio::sync::watch;

use crate::heads::Heads;
use crate::recent::RecentEvents;
use crate::recent_changes::RecentChanges;
use crate::{Position, Recorded, Shard, StreamId};

/// In-memory state of a process about a log: heads, and the newest events that the process appended itself.
#[derive(Default)]
pub struct LogCaches {
    heads: Heads,
    recent: RecentEvents,
    recent_changes: RecentChanges,
}

impl LogCaches {
    /// Adds the events of a commit of this process, which begin after position `after`, and notifies the watchers.
    pub fn keep(&self, shard: Shard, after: Position, events: Vec<Recorded>) {
        let head = after + events.len() as u64;
        self.recent_changes.note(shard, after, events.iter().map(|recorded| &recorded.event));
        self.recent.keep(shard, after, events.into_iter(), &[], &[]);
        self.heads.tell(shard, head);
    }

    /// Returns the page of events after `after` up to `up_to`; `None` if one of them is not cached.
    #[must_use]
    pub fn events(&self, shard: Shard, after: Position, up_to: Position) -> Option<Vec<Recorded>> {
        self.recent.events(shard, after, up_to)
    }

    /// Returns for each pair in `streams` true if the stream is known to have no event after that position, up to
    /// `head`.
    #[must_use]
    pub fn unchanged_since(
        &self,
        shard: Shard,
        head: Position,
        streams: &[(StreamId, Position)],
    ) -> Vec<bool> {
        self.recent_changes.unchanged_since(shard, head, streams)
    }

    /// Returns a receiver of the head that this process knows.
    #[must_use]
    pub fn watch(&self, shard: Shard) -> watch::Receiver<Position> {
        self.heads.watch(shard)
    }

    /// Notifies the watchers of a head that was read. A lower position is ignored.
    pub fn observe(&self, shard: Shard, position: Position) {
        self.heads.tell(shard, position);
    }
}
