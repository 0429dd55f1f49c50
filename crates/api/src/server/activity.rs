//! What a connection is about: shared by the bytes below actix and the middleware above it.
//!
//! actix ends a head that is late for the first request of a connection alone, and waits for the rest of a body that
//! nobody reads for as long as it takes. So this tells what the bytes are waited for: a request that has begun to come
//! must be one soon, be it that its first bytes came with the request before it, and so must what follows an answer that
//! was given before the request was there.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::task::Context;
use std::time::Duration;

use actix_web::http::header::{self, HeaderMap};
use tokio::time::Instant;

use super::turn::Turn;
use super::unread::Reader;

/// How long a head may take whose first byte has come. The first one of a connection is answered by actix a little sooner,
/// so that its client is told why.
pub(super) const REQUEST_WITHIN: Duration = Duration::from_secs(11);

/// How long the rest of a request may take that is answered already: with the time of a body less than 35 s.
pub(super) const REST_WITHIN: Duration = Duration::from_secs(3);

/// How far the body of a request goes, as its head says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// There is none.
    Empty,
    /// So many bytes.
    Bytes(u64),
    /// It comes in chunks, and says itself where it ends.
    Chunks,
}

impl Extent {
    /// What `headers` say.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        if headers.contains_key(header::TRANSFER_ENCODING) {
            return Self::Chunks;
        }
        let length = headers.get(header::CONTENT_LENGTH);
        // actix has read the number already.
        match length.map(|length| length.to_str().ok().and_then(|text| text.parse().ok())) {
            None | Some(Some(0)) => Self::Empty,
            Some(length) => Self::Bytes(length.unwrap_or(u64::MAX)),
        }
    }
}

/// One connection; both halves are on one thread.
#[derive(Debug, Default)]
pub(super) struct Activity {
    is_serving: Cell<bool>,
    /// When what comes must have become a request; none if nothing has come.
    deadline: Cell<Option<Instant>>,
    turn: Cell<Turn>,
    /// Of a large answer that is under way.
    reader: RefCell<Option<Arc<Reader>>>,
}

impl Activity {
    /// Bytes came from the client. Those that come while a request is served are its body, or wait for their turn.
    pub(super) fn came(&self, bytes: &[u8]) {
        let mut turn = self.turn.take();
        turn.came(bytes);
        self.turn.set(turn);
        if !self.is_serving.get() && self.deadline.get().is_none() {
            self.deadline.set(Some(Instant::now() + REQUEST_WITHIN));
        }
    }

    /// A request is there, its head at least.
    pub(super) fn begin(&self) {
        self.reader.borrow_mut().take();
        self.is_serving.set(true);
        self.deadline.set(None);
    }

    /// It is answered; of one that is not all there the rest must come soon, and so must the rest of what came behind one
    /// that is.
    pub(super) fn end(&self, is_whole: bool, extent: Extent) {
        self.is_serving.set(false);
        let (turn, is_more) = self.turn.take().end(is_whole, extent);
        self.turn.set(turn);
        let within = if is_whole { is_more.then_some(REQUEST_WITHIN) } else { Some(REST_WITHIN) };
        self.deadline.set(within.map(|within| Instant::now() + within));
    }

    /// A large answer begins, which is sent to `reader`.
    pub(super) fn is_read_by(&self, reader: Arc<Reader>) {
        *self.reader.borrow_mut() = Some(reader);
    }

    /// Tells whether others need the room that its answer takes; if not, the task that polls is woken when they do.
    pub(super) fn is_let_go(&self, cx: &Context<'_>) -> bool {
        self.reader.borrow().as_ref().is_some_and(|reader| reader.is_let_go(cx))
    }

    /// Until when the next request must be there.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.deadline.get()
    }
}
