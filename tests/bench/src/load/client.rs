//! A keep-alive connection to the service, for the load and for the calls that prepare it.
//!
//! The load generator shares the cores with the server under test, so it does no more than necessary: a request is one
//! write, and an answer is read by its Content-Length.

use std::fmt::Write;
use std::net::SocketAddr;

use bytes::{Buf, Bytes, BytesMut};
use futures::FutureExt;
use httparse::{EMPTY_HEADER, Response};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt, Interest, Ready};
use tokio::net::TcpStream;

use crate::error::Error;

/// Maximum number of headers of an answer, more than the service sends.
const HEADERS: usize = 64;
/// Buffer size in bytes, larger than an answer to one payment or read.
const BUFFER_BYTES: usize = 16 * 1024;

/// A request.
pub(crate) struct Call<'a> {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    /// Lines of the head, each with its line end; see [`headers`].
    pub(crate) headers: &'a str,
    pub(crate) idempotency_key: Option<&'a str>,
    pub(crate) body: String,
}

impl<'a> Call<'a> {
    /// Creates a GET of `path`.
    pub(crate) fn get(path: String, headers: &'a str) -> Self {
        Self { method: "GET", path, headers, idempotency_key: None, body: String::new() }
    }

    /// Creates a POST of `body` to `path`.
    pub(crate) fn post(path: String, headers: &'a str, body: String) -> Self {
        Self { method: "POST", path, headers, idempotency_key: None, body }
    }

    /// Encodes the request to `host`. Source: RFC 9112.
    fn encode(&self, host: &str, to: &mut String) -> std::fmt::Result {
        let Self { method, path, headers, idempotency_key, body } = self;
        write!(to, "{method} {path} HTTP/1.1\r\nhost: {host}\r\n{headers}")?;
        if let Some(key) = idempotency_key {
            write!(to, "x-sp-idempotency-key: {key}\r\n")?;
        }
        write!(to, "content-length: {}\r\n\r\n{body}", body.len())
    }
}

/// A complete answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Log position that the service states; 0 if there is none.
    pub(crate) position: u64,
    /// Value of Retry-After, in seconds.
    pub(crate) retry_after: Option<u64>,
    pub(crate) body: Bytes,
}

impl Answer {
    /// Takes the answer at the beginning of `received`; none if it is incomplete.
    fn take(received: &mut BytesMut) -> Result<Option<Self>, Error> {
        let mut headers = [EMPTY_HEADER; HEADERS];
        let mut response = Response::new(&mut headers);
        let httparse::Status::Complete(head) = response.parse(received).map_err(failed)? else {
            return Ok(None);
        };
        let status = response.code.unwrap_or_default();
        let number = |name: &str| -> Option<u64> {
            let header = response.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name))?;
            std::str::from_utf8(header.value).ok()?.parse().ok()
        };
        let length = number("content-length").ok_or_else(|| failed("an answer has no Content-Length"))?;
        let (position, retry_after) =
            (number("x-daybook-position").unwrap_or_default(), number("retry-after"));
        let end = head + usize::try_from(length).map_err(failed)?;
        if received.len() < end {
            received.reserve(end - received.len());
            return Ok(None);
        }
        let mut body = received.split_to(end).freeze();
        body.advance(head);
        Ok(Some(Self { status, position, retry_after, body }))
    }
}

/// A connection. Its requests follow one another.
pub(crate) struct Client {
    host: String,
    stream: TcpStream,
    sent: String,
    received: BytesMut,
}

impl Client {
    /// Connects.
    pub(crate) async fn connect(address: SocketAddr) -> Result<Self, Error> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let received = BytesMut::with_capacity(BUFFER_BYTES);
        Ok(Self { host: address.to_string(), stream, sent: String::new(), received })
    }

    /// Returns true if the service has closed the connection, as it does with idle ones.
    pub(crate) fn is_closed(&self) -> bool {
        let ready = self.stream.ready(Interest::READABLE).now_or_never();
        ready.is_some_and(|ready| ready.is_ok_and(Ready::is_read_closed))
    }

    /// Sends a request and reads the complete answer.
    pub(crate) async fn send(&mut self, call: &Call<'_>) -> Result<Answer, Error> {
        self.sent.clear();
        call.encode(&self.host, &mut self.sent).map_err(failed)?;
        self.stream.write_all(self.sent.as_bytes()).await?;
        loop {
            self.received.reserve(BUFFER_BYTES);
            if self.stream.read_buf(&mut self.received).await? == 0 {
                return Err(failed("the service closed a connection before it had answered"));
            }
            if let Some(answer) = Answer::take(&mut self.received)? {
                return Ok(answer);
            }
        }
    }

    /// Returns the JSON of an answer with status 200.
    pub(crate) async fn json(&mut self, call: Call<'_>) -> Result<Value, Error> {
        let Answer { status, body, .. } = self.send(&call).await?;
        if status != 200 {
            let (Call { method, path, .. }, said) = (call, String::from_utf8_lossy(&body));
            return Err(Error::Failed(format!("{method} {path} was answered {status}: {said}")));
        }
        serde_json::from_slice(&body).map_err(failed)
    }
}

/// Returns the headers of every call. The header `name` authenticates the call.
pub(crate) fn headers(name: &str, credentials: &str) -> String {
    format!("content-type: application/json\r\nx-sp-user-ip: 127.0.0.1\r\n{name}: {credentials}\r\n")
}

/// Returns the text at `pointer`, which every answer of this kind has.
pub(crate) fn text(answer: &Value, pointer: &str) -> Result<String, Error> {
    let found = answer.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    found.ok_or_else(|| Error::Failed(format!("no {pointer} in the answer {answer}")))
}

/// Converts any failure that makes a measurement impossible.
pub(crate) fn failed(error: impl std::fmt::Display) -> Error {
    Error::Failed(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn call_is_encoded_as_http() {
        let headers = headers("x-sp-user", "key|");
        let mut call = Call::post("/v3.1/users".into(), &headers, "{}".into());
        call.idempotency_key = Some("k1");
        let mut sent = String::new();
        call.encode("127.0.0.1:80", &mut sent).expect("a String takes everything");
        let lines = [
            "POST /v3.1/users HTTP/1.1",
            "host: 127.0.0.1:80",
            "content-type: application/json",
            "x-sp-user-ip: 127.0.0.1",
            "x-sp-user: key|",
            "x-sp-idempotency-key: k1",
            "content-length: 2",
            "",
            "{}",
        ];
        assert_eq!(sent, lines.join("\r\n"));
    }

    #[test]
    fn answer_is_taken_when_complete() {
        let text = "HTTP/1.1 503 Busy\r\nX-Daybook-Position: 17\r\nRetry-After: 1\r\nContent-Length: 4\r\n\r\nbusyHTTP";
        let whole = text.len() - "HTTP".len();
        for so_far in 0..whole {
            let mut received = BytesMut::from(&text.as_bytes()[..so_far]);
            assert!(Answer::take(&mut received).expect("no error").is_none(), "{so_far} bytes");
        }
        let mut received = BytesMut::from(text);
        let answer = Answer::take(&mut received).expect("no error").expect("it is there");
        assert_eq!((answer.status, answer.position, answer.retry_after), (503, 17, Some(1)));
        assert_eq!((&answer.body[..], &received[..]), (&b"busy"[..], &b"HTTP"[..]));
    }

    #[test]
    fn answer_without_length_is_an_error() {
        for text in
            ["HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n", "SMTP\r\n\r\n"]
        {
            assert!(Answer::take(&mut BytesMut::from(text)).is_err(), "{text}");
        }
    }
}
