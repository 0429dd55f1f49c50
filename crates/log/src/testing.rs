//! For tests of logs that several processes share: what one of them remembers, which ends with it.

use tokio::sync::watch;

use crate::heads::Heads;
use crate::recent::Recent;
use crate::touched::Touched;
use crate::{Position, Recorded, Shard, StreamId};

/// What a process remembers of a log: heads, and the newest events that it appended itself.
#[derive(Default)]
pub struct Remembered {
    heads: Heads,
    recent: Recent,
    touched: Touched,
}

impl Remembered {
    /// Keeps the events of a commit of this process, which begin behind `after`, and tells the watchers.
    pub fn keep(&self, shard: Shard, after: Position, events: Vec<Recorded>) {
        let head = after + events.len() as u64;
        self.touched.note(shard, after, events.iter().map(|recorded| &recorded.event));
        self.recent.keep(shard, after, events.into_iter(), &[], &[]);
        self.heads.tell(shard, head);
    }

    /// The page of events after `after` up to `up_to`, if all of it is remembered.
    #[must_use]
    pub fn events(&self, shard: Shard, after: Position, up_to: Position) -> Option<Vec<Recorded>> {
        self.recent.events(shard, after, up_to)
    }

    /// Of each of `streams`, whether it is known that nothing happened to it after the position beside it, up to `head`.
    #[must_use]
    pub fn untouched(&self, shard: Shard, head: Position, streams: &[(StreamId, Position)]) -> Vec<bool> {
        self.touched.untouched(shard, head, streams)
    }

    /// The head as this process knows it.
    #[must_use]
    pub fn watch(&self, shard: Shard) -> watch::Receiver<Position> {
        self.heads.watch(shard)
    }

    /// Tells the watchers of a head that was read; a lower one is ignored.
    pub fn observe(&self, shard: Shard, position: Position) {
        self.heads.tell(shard, position);
    }
}
