//! State of a connection, shared by the byte stream below actix and the middleware above it.
//!
//! actix limits the time for the head of the first request on a connection only, and waits without a limit for the rest
//! of a body that no handler reads. This state therefore says which bytes the connection waits for. A request that has
//! begun to arrive must be complete in time, also if its first bytes arrived together with the previous request. The
//! rest of a request that was answered before it was complete has a limit as well.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::task::Context;
use std::time::Duration;

use actix_web::http::header::{self, HeaderMap};
use tokio::time::Instant;

use super::pipeline::PipelineCounter;
use super::response_budget::Reader;

/// Maximum time from the first byte of a head to the complete head. actix answers the first one of a connection a
/// little sooner, so that the client learns the reason.
pub(super) const REQUEST_TIMEOUT: Duration = Duration::from_secs(11);

/// Maximum time for the rest of a request that was already answered. Together with the limit of a body it is less than
/// 35 s.
pub(super) const REQUEST_REST_TIMEOUT: Duration = Duration::from_secs(3);

/// Length of a request's body, as its head announces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyLength {
    /// No body.
    Empty,
    /// A body of this many bytes.
    Bytes(u64),
    /// A body in chunks, which mark its end themselves.
    Chunks,
}

impl BodyLength {
    /// Reads the length from `headers`.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        if headers.contains_key(header::TRANSFER_ENCODING) {
            return Self::Chunks;
        }
        let length = headers.get(header::CONTENT_LENGTH);
        // actix has already checked the number.
        match length.map(|length| length.to_str().ok().and_then(|text| text.parse().ok())) {
            None | Some(Some(0)) => Self::Empty,
            Some(length) => Self::Bytes(length.unwrap_or(u64::MAX)),
        }
    }
}

/// State of one connection. Both halves run on one thread.
#[derive(Debug, Default)]
pub(super) struct RequestTracker {
    is_serving: Cell<bool>,
    /// Time by which the next request must be complete; `None` if none of it has arrived.
    deadline: Cell<Option<Instant>>,
    turn: Cell<PipelineCounter>,
    /// Reader of a large answer that is being sent.
    reader: RefCell<Option<Arc<Reader>>>,
}

impl RequestTracker {
    /// Records bytes from the client. Bytes that arrive during a request belong to its body, or to a pipelined request.
    pub(super) fn received(&self, bytes: &[u8]) {
        let mut turn = self.turn.take();
        turn.received(bytes);
        self.turn.set(turn);
        if !self.is_serving.get() && self.deadline.get().is_none() {
            self.deadline.set(Some(Instant::now() + REQUEST_TIMEOUT));
        }
    }

    /// Records that a request has begun: its head is complete.
    pub(super) fn started(&self) {
        self.reader.borrow_mut().take();
        self.is_serving.set(true);
        self.deadline.set(None);
    }

    /// Records that the request is answered. The rest of an incomplete request must arrive in time, and so must the
    /// rest of a request that has begun to arrive behind it.
    pub(super) fn finished(&self, is_whole: bool, body_length: BodyLength) {
        self.is_serving.set(false);
        let (turn, is_more) = self.turn.take().end(is_whole, body_length);
        self.turn.set(turn);
        let within = if is_whole { is_more.then_some(REQUEST_TIMEOUT) } else { Some(REQUEST_REST_TIMEOUT) };
        self.deadline.set(within.map(|within| Instant::now() + within));
    }

    /// Records that a large answer is being sent to `reader`.
    pub(super) fn is_read_by(&self, reader: Arc<Reader>) {
        *self.reader.borrow_mut() = Some(reader);
    }

    /// Returns true if the reader is disconnected because other answers need its memory; otherwise wakes the polling
    /// task when that happens.
    pub(super) fn is_let_go(&self, cx: &Context<'_>) -> bool {
        self.reader.borrow().as_ref().is_some_and(|reader| reader.is_let_go(cx))
    }

    /// Returns the time by which the next request must be complete.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.deadline.get()
    }
}
