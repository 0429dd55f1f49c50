//! What a connection is about: shared by the bytes below actix and the middleware above it.
//!
//! actix ends a head that is late for the first request of a connection alone, and waits for the rest of a body that
//! nobody reads for as long as it takes. So this tells what the bytes are waited for: a request that has begun to come
//! must be one soon, and so must what follows an answer that was given before the request was there.

use std::cell::Cell;
use std::time::Duration;

use tokio::time::Instant;

/// One connection; both halves are on one thread.
#[derive(Debug, Default)]
pub(super) struct Activity {
    is_serving: Cell<bool>,
    /// When what comes must have become a request; none if nothing has come.
    deadline: Cell<Option<Instant>>,
}

impl Activity {
    /// Bytes came from the client. Those that come while a request is served are its body, or wait for their turn.
    pub(super) fn came(&self, within: Duration) {
        if !self.is_serving.get() && self.deadline.get().is_none() {
            self.deadline.set(Some(Instant::now() + within));
        }
    }

    /// A request is there, its head at least.
    pub(super) fn begin(&self) {
        self.is_serving.set(true);
        self.deadline.set(None);
    }

    /// It is answered; of one that is not all there the rest must come `within` a time.
    pub(super) fn end(&self, is_whole: bool, within: Duration) {
        self.is_serving.set(false);
        self.deadline.set((!is_whole).then(|| Instant::now() + within));
    }

    /// Until when the next request must be there.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.deadline.get()
    }
}
