//! Byte stream below actix: gives the API's shape to answers that actix makes before there is a request.
//!
//! actix answers a head that cannot be parsed, is too large or is too late with a bare status line and no body, and no
//! middleware sees this answer. It is always the last one of its connection. Therefore it is recognized at the end of
//! the written bytes, and replaced. JSON never contains a raw line break, so no body of the API is mistaken for it.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::body::MessageBody;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, ResponseError};
use prometheus_client::metrics::gauge::Gauge;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use super::malformed::MalformedHeads;
use super::said_over_tls;
use crate::error::ApiError;

/// Beginning of a bare answer after its status line.
const EMPTY_RESPONSE: &str = "\r\ncontent-length: 0\r\n";

/// Maximum size of a bare answer in bytes.
const MAX_EMPTY_RESPONSE_BYTES: usize = 256;

/// Maximum number of bytes to read and discard before closing. A client that is still writing when the connection
/// closes gets a reset and never sees the answer.
const MAX_DISCARDED_BYTES: usize = 4 << 20;

/// Maximum time to discard, for clients that send nothing more.
const DISCARD_TIMEOUT: Duration = Duration::from_secs(1);

/// A connection.
pub(super) struct Stream<Io> {
    io: Io,
    /// Replacement of a bare answer that is still to be written, and the number of replaced bytes.
    instead: Option<(Vec<u8>, usize)>,
    /// Number of bytes that may still be discarded; 0 unless a bare answer was replaced.
    discard: usize,
    /// Time limit for discarding, set at the first attempt to close.
    until: Option<Pin<Box<Sleep>>>,
    malformed: MalformedHeads,
    /// Gauge that counts this connection while it is open.
    open: Gauge,
    /// True if the connection uses TLS.
    is_secured: bool,
}

impl<Io> Stream<Io> {
    /// Makes a connection that `open` counts; `malformed` counts its malformed heads.
    pub(super) fn new(io: Io, malformed: MalformedHeads, open: Gauge, is_secured: bool) -> Self {
        open.inc();
        Self { io, instead: None, discard: 0, until: None, malformed, open, is_secured }
    }

    /// Returns the stream below.
    pub(super) fn below(&self) -> &Io {
        &self.io
    }
}

impl<Io> Drop for Stream<Io> {
    fn drop(&mut self) {
        self.open.dec();
    }
}

impl<Io: AsyncRead + Unpin> AsyncRead for Stream<Io> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buffer)
    }
}

impl<Io: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Stream<Io> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        if this.instead.is_none() {
            match find_bare(bytes) {
                None => return Pin::new(&mut this.io).poll_write(cx, bytes),
                Some((0, status)) => {
                    this.malformed.count_one();
                    this.discard = MAX_DISCARDED_BYTES;
                    this.instead = Some((shaped(status, this.is_secured), bytes.len()));
                }
                Some((before, _)) => return Pin::new(&mut this.io).poll_write(cx, &bytes[..before]),
            }
        }
        while let Some((rest, replaced)) = &mut this.instead {
            let written = ready!(Pin::new(&mut this.io).poll_write(cx, rest))?;
            rest.drain(..written);
            if rest.is_empty() {
                let replaced = *replaced;
                this.instead = None;
                return Poll::Ready(Ok(replaced));
            }
        }
        Poll::Pending
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.io).poll_shutdown(cx))?;
        if self.discard == 0 {
            return Poll::Ready(Ok(()));
        }
        let until = self.until.get_or_insert_with(|| Box::pin(sleep(DISCARD_TIMEOUT)));
        if until.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Ok(()));
        }
        let mut scratch = [0; 4096];
        while self.discard > 0 {
            let mut buffer = ReadBuf::new(&mut scratch);
            ready!(Pin::new(&mut self.io).poll_read(cx, &mut buffer))?;
            let read = buffer.filled().len();
            self.discard = if read == 0 { 0 } else { self.discard.saturating_sub(read) };
        }
        Poll::Ready(Ok(()))
    }
}

/// Finds a bare answer of actix at the end of `bytes`; returns its offset and status.
fn find_bare(bytes: &[u8]) -> Option<(usize, StatusCode)> {
    if !bytes.ends_with(b"\r\n\r\n") {
        return None;
    }
    let from = bytes.len().saturating_sub(MAX_EMPTY_RESPONSE_BYTES);
    let tail = std::str::from_utf8(&bytes[from..]).ok()?;
    let start = tail.rfind("HTTP/1.1 4")?;
    let (status_line, rest) = tail[start..].split_at_checked(tail[start..].find("\r\n")?)?;
    let status = status_line.split(' ').nth(1)?.parse().ok()?;
    rest.starts_with(EMPTY_RESPONSE).then_some((from + start, status))
}

/// Returns an answer in the API's shape in place of a bare one.
fn shaped(status: StatusCode, is_secured: bool) -> Vec<u8> {
    let text = match status {
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => "has a head that is too large",
        StatusCode::REQUEST_TIMEOUT => "did not arrive in time",
        _ => "is not HTTP that this service understands",
    };
    last_answer(said_over_tls(ApiError::invalid("request", text).error_response(), is_secured))
}

/// Returns the bytes of an answer that closes the connection.
pub(super) fn last_answer(response: HttpResponse) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 {}\r\nconnection: close\r\n", response.status()).into_bytes();
    for (name, value) in response.headers() {
        bytes.extend_from_slice(name.as_str().as_bytes());
        bytes.extend_from_slice(b": ");
        bytes.extend_from_slice(value.as_bytes());
        bytes.extend_from_slice(b"\r\n");
    }
    let body = response.into_body().try_into_bytes().unwrap_or_default();
    bytes.extend_from_slice(format!("content-length: {}\r\n\r\n", body.len()).as_bytes());
    bytes.extend_from_slice(&body);
    bytes
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    const EMPTY_400: &[u8] =
        b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\ndate: now\r\n\r\n";

    async fn written(parts: &[&[u8]]) -> String {
        let (near, mut far) = tokio::io::duplex(64);
        let read = tokio::task::spawn(async move {
            let mut text = String::new();
            far.read_to_string(&mut text).await.map(|_| text)
        });
        let mut stream = Stream::new(near, MalformedHeads::default(), Gauge::default(), false);
        for part in parts {
            stream.write_all(part).await.unwrap();
        }
        drop(stream);
        read.await.unwrap().unwrap()
    }

    #[actix_web::test]
    async fn a_bare_answer_gets_a_body() {
        let text = written(&[EMPTY_400]).await;
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{head}");
        assert!(head.contains(&format!("content-length: {}", body.len())), "{head}");
        let body: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!((&body["error_code"], &body["http_code"]), (&"200".into(), &"400".into()));
    }

    #[actix_web::test]
    async fn silent_client_does_not_delay_closing() {
        let (near, _far) = tokio::io::duplex(1024);
        let mut stream = Stream::new(near, MalformedHeads::default(), Gauge::default(), false);
        stream.write_all(EMPTY_400).await.unwrap();
        let closed = tokio::time::timeout(2 * DISCARD_TIMEOUT, stream.shutdown()).await;
        assert!(closed.is_ok());
    }

    #[actix_web::test]
    async fn preceding_answer_stays_unchanged() {
        let first: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
        let text = written(&[&[first, EMPTY_400].concat()]).await;
        assert!(text.starts_with("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}HTTP/1.1 400"), "{text}");
        assert!(text.ends_with("\"success\":false}"), "{text}");
    }

    #[actix_web::test]
    async fn other_answers_pass_untouched() {
        for answer in [
            &b"HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\n{}"[..],
            b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
        ] {
            assert_eq!(written(&[answer]).await.as_bytes(), answer);
        }
    }
}
