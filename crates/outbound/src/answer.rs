//! Response of a peer whose head has arrived. The peer is not trusted: head, body and time are limited. The connection
//! is reused only if the whole response arrived within these limits.

use std::error::Error;

use bytes::Bytes;
use http_body_util::{BodyExt, Limited};
use hyper::body::{Body, Incoming};
use hyper::{Response, StatusCode};
use tokio::time::{Instant, timeout_at};

use crate::pool::Exchange;

/// Maximum size of a response's head, in bytes.
pub const MAX_HEAD_BYTES: usize = 16 * 1024;
/// Maximum number of header fields of a response.
pub(crate) const MAX_FIELDS: usize = 100;
/// Number of bytes of an answer's body that are read before the connection is dropped.
pub const MAX_BODY_BYTES: usize = 64 * 1024;
/// Maximum number of bytes that a peer sends for a TLS handshake; also the allowance for the TLS framing of an
/// exchange.
pub(crate) const MAX_TLS_BYTES: usize = 64 * 1024;
/// Maximum number of bytes that a peer sends in one exchange. Interim responses and trailers have no limit of their
/// own.
pub const MAX_RESPONSE_BYTES: usize = MAX_TLS_BYTES + MAX_HEAD_BYTES + MAX_BODY_BYTES;
/// Number of bytes of a response body that are kept when a platform chose the address.
pub const KEPT_BODY_BYTES: usize = 1024;

/// Answer of a receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// HTTP status. 200 to 299 means success. A redirect is not followed and is a status like any other.
    pub status: u16,
    /// First bytes of the body: at most [`KEPT_BODY_BYTES`], of any content.
    pub beginning: Vec<u8>,
}

/// A response whose body may still be arriving. Dropping it closes the connection.
pub(crate) struct PendingResponse {
    // Declared before `response`, so it is dropped first: the meter ends the connection before its task learns that
    // the response is not read any further.
    exchange: Exchange,
    response: Response<Incoming>,
}

impl PendingResponse {
    pub(crate) fn new(response: Response<Incoming>, exchange: Exchange) -> Self {
        Self { exchange, response }
    }

    /// Reads the body until it ends, reaches [`MAX_BODY_BYTES`], or `deadline` passes. Keeps the first
    /// [`KEPT_BODY_BYTES`] bytes.
    pub(crate) async fn beginning(mut self, deadline: Instant) -> Answer {
        let status = self.response.status().as_u16();
        let (mut beginning, mut read) = (Vec::new(), 0);
        let body = self.response.body_mut();
        let is_whole = loop {
            if body.is_end_stream() || read >= MAX_BODY_BYTES {
                break body.is_end_stream();
            }
            let data = match timeout_at(deadline, body.frame()).await {
                Ok(Some(Ok(frame))) => frame.into_data().unwrap_or_default(),
                Ok(None) => break true,
                Ok(Some(Err(_))) | Err(_) => break false,
            };
            read += data.len();
            let wanted = (KEPT_BODY_BYTES - beginning.len()).min(data.len());
            beginning.extend_from_slice(&data[..wanted]);
        };
        if is_whole {
            self.exchange.finish();
        }
        Answer { status, beginning }
    }

    /// Reads the whole body. Fails if it is longer than [`MAX_BODY_BYTES`] or cut short.
    pub(crate) async fn whole(mut self) -> Result<(StatusCode, Bytes), Box<dyn Error + Send + Sync>> {
        let status = self.response.status();
        let body = Limited::new(self.response.body_mut(), MAX_BODY_BYTES).collect().await?;
        self.exchange.finish();
        Ok((status, body.to_bytes()))
    }
}
