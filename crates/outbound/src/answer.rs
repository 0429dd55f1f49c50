//! An answer, whose head is there. What comes is not trusted: head, body and time are bounded. A connection is used again
//! only if its answer came to its end within them.

use std::error::Error;

use bytes::Bytes;
use http_body_util::{BodyExt, Limited};
use hyper::body::{Body, Incoming};
use hyper::{Response, StatusCode};
use tokio::time::{Instant, timeout_at};

use crate::pool::Exchange;

/// The most bytes of an answer's head.
pub const MAX_HEAD: usize = 16 * 1024;
/// The most fields in it.
pub(crate) const MAX_FIELDS: usize = 100;
/// Number of bytes of an answer's body that are read before the connection is dropped.
pub const MAX_BODY: usize = 64 * 1024;
/// The most bytes of a handshake, and of what surrounds the others when they are encrypted.
pub(crate) const MAX_TLS: usize = 64 * 1024;
/// The most bytes that a peer sends in an exchange, all told: interim answers and trailers have no other bound.
pub const MAX_SENT: usize = MAX_TLS + MAX_HEAD + MAX_BODY;
/// Number of bytes of a body that are kept, of whom somebody else chose.
pub const KEPT: usize = 1024;

/// Answer of a receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its status: 200 to 299 is a yes. A redirection is a status like any other.
    pub status: u16,
    /// Beginning of its body: at most [`KEPT`] bytes, whatever they are.
    pub beginning: Vec<u8>,
}

/// An answer whose body may be still to come; dropped, its connection ends.
pub(crate) struct Answering {
    // In front of the response: its connection is over before its task hears that nobody listens any more.
    exchange: Exchange,
    response: Response<Incoming>,
}

impl Answering {
    pub(crate) fn new(response: Response<Incoming>, exchange: Exchange) -> Self {
        Self { exchange, response }
    }

    /// Reads the body until it ends, until it is too long, or until `deadline`.
    pub(crate) async fn beginning(mut self, deadline: Instant) -> Answer {
        let status = self.response.status().as_u16();
        let (mut beginning, mut read) = (Vec::new(), 0);
        let body = self.response.body_mut();
        let is_whole = loop {
            if body.is_end_stream() || read >= MAX_BODY {
                break body.is_end_stream();
            }
            let data = match timeout_at(deadline, body.frame()).await {
                Ok(Some(Ok(frame))) => frame.into_data().unwrap_or_default(),
                Ok(None) => break true,
                Ok(Some(Err(_))) | Err(_) => break false,
            };
            read += data.len();
            let wanted = (KEPT - beginning.len()).min(data.len());
            beginning.extend_from_slice(&data[..wanted]);
        };
        if is_whole {
            self.exchange.finish();
        }
        Answer { status, beginning }
    }

    /// Reads all of the body.
    pub(crate) async fn whole(mut self) -> Result<(StatusCode, Bytes), Box<dyn Error + Send + Sync>> {
        let status = self.response.status();
        let body = Limited::new(self.response.body_mut(), MAX_BODY).collect().await?;
        self.exchange.finish();
        Ok((status, body.to_bytes()))
    }
}
