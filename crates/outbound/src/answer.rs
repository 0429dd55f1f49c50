//! One request and its answer over a connection that is there. HTTP/1.1; what comes is not trusted: head, body and time
//! are bounded, and whether the body ever ends is of no interest. What the peer sends is counted at the socket, whatever it
//! means: interim answers and trailers have no other bound.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use crate::failure::Failure;

/// The most bytes of an answer's head.
pub const MAX_HEAD: usize = 16 * 1024;
/// The most fields in it.
const MAX_FIELDS: usize = 100;
/// How many bytes of an answer's body are read before the connection is dropped.
pub const MAX_BODY: usize = 64 * 1024;
/// The most bytes of a handshake, and of what surrounds the others when they are encrypted.
const MAX_TLS: usize = 64 * 1024;
/// The most bytes that a receiver sends over a connection, all told.
pub const MAX_SENT: usize = MAX_TLS + MAX_HEAD + MAX_BODY;
/// How many of them are kept.
pub const KEPT: usize = 1024;

/// What a receiver said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its status: 200 to 299 is a yes. A redirection is a status like any other.
    pub status: u16,
    /// How its body begins: at most [`KEPT`] bytes, whatever they are.
    pub beginning: Vec<u8>,
}

/// An answer whose head is there, with the task that reads what follows; that ends when this is dropped.
pub(super) struct Answering {
    response: Response<Incoming>,
    _connection: JoinSet<()>,
}

/// Sends `request` and waits for the head of an answer.
pub(super) async fn send<S>(stream: S, request: Request<Full<Bytes>>) -> Result<Answering, Failure>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(MAX_HEAD)
        .max_headers(MAX_FIELDS)
        .handshake(TokioIo::new(stream))
        .await?;
    let mut task = JoinSet::new();
    task.spawn(async move {
        // What went wrong is what the sender says.
        let _ = connection.await;
    });
    Ok(Answering { response: sender.send_request(request).await?, _connection: task })
}

impl Answering {
    /// Reads the body until it ends, until it is too long, or until `deadline`.
    pub(super) async fn finish(self, deadline: Instant) -> Answer {
        let status = self.response.status().as_u16();
        let mut body = self.response.into_body();
        let (mut beginning, mut read) = (Vec::new(), 0);
        while read < MAX_BODY {
            let Ok(Some(Ok(frame))) = timeout_at(deadline, body.frame()).await else { break };
            let data = frame.into_data().unwrap_or_default();
            read += data.len();
            let wanted = (KEPT - beginning.len()).min(data.len());
            beginning.extend_from_slice(&data[..wanted]);
        }
        Answer { status, beginning }
    }
}
