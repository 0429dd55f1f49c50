//! Newest known position of each shard's log, for tasks that wait until it advances.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tokio::sync::watch;

use crate::{Position, Shard};

/// One watched position per shard. A position never decreases.
#[derive(Debug, Default)]
pub(crate) struct Heads(Mutex<HashMap<Shard, watch::Sender<Position>>>);

impl Heads {
    pub(crate) fn watch(&self, shard: Shard) -> watch::Receiver<Position> {
        self.with(shard, watch::Sender::subscribe)
    }

    /// Wakes the watchers if `position` is greater than the known one.
    pub(crate) fn tell(&self, shard: Shard, position: Position) {
        self.with(shard, |head| {
            head.send_if_modified(|known| {
                let risen = position > *known;
                *known = position.max(*known);
                risen
            })
        });
    }

    fn with<T>(&self, shard: Shard, work: impl FnOnce(&watch::Sender<Position>) -> T) -> T {
        // A panic in another thread cannot leave a position half written.
        let mut heads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        work(heads.entry(shard).or_default())
    }
}
