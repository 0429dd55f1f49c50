//! A number that others wait for to change. They are woken in the order in which they came: `tokio::sync::watch` wakes them
//! in any, and a seed would not be a run.

use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;

/// Tells many that something changed.
#[derive(Default)]
pub(super) struct Signal {
    changes: AtomicU64,
    waiting: Notify,
}

impl Signal {
    /// Something changed.
    pub(super) fn ring(&self) {
        self.changes.fetch_add(1, Ordering::Relaxed);
        self.waiting.notify_waiters();
    }

    /// How often it changed so far.
    pub(super) fn seen(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }

    /// Waits until it has changed since `seen`.
    pub(super) async fn changed(&self, seen: u64) {
        let mut waits = pin!(self.waiting.notified());
        waits.as_mut().enable();
        if self.seen() == seen {
            waits.await;
        }
    }
}
