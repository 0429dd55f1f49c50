//! A counter that tasks wait for. Tasks are woken in the order in which they began to wait. `tokio::sync::watch` wakes
//! them in any order, and a seed would not always give the same run.

use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;

/// Notifies many tasks of a change.
#[derive(Default)]
pub(super) struct Signal {
    changes: AtomicU64,
    waiting: Notify,
}

impl Signal {
    /// Reports a change.
    pub(super) fn ring(&self) {
        self.changes.fetch_add(1, Ordering::Relaxed);
        self.waiting.notify_waiters();
    }

    /// Returns the number of changes so far.
    pub(super) fn seen(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }

    /// Waits until there was a change since `seen`.
    pub(super) async fn changed(&self, seen: u64) {
        let mut waits = pin!(self.waiting.notified());
        waits.as_mut().enable();
        if self.seen() == seen {
            waits.await;
        }
    }
}
