//! One HTTP call and its answer: a client that shows all of an answer, and a raw socket for malformed requests.
//!
//! Each call has a connection of its own, so that the state of a connection does not affect the next call.
#![allow(clippy::expect_used, clippy::panic, reason = "a call without an answer fails the test")]

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

/// Timeout of an answer, longer than any timeout of the service.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(40);

/// A call under construction.
#[derive(Clone, Debug)]
pub struct Call {
    address: SocketAddr,
    from: Option<IpAddr>,
    method: Method,
    target: String,
    headers: HeaderMap,
    body: Bytes,
}

impl Call {
    /// Creates a call without headers and body; `target` is path and query.
    ///
    /// # Panics
    ///
    /// Panics if `method` is not a valid HTTP method.
    #[must_use]
    pub fn new(address: SocketAddr, method: &str, target: &str) -> Self {
        let method = method.parse().expect("a method");
        let (target, headers, body) = (target.to_owned(), HeaderMap::new(), Bytes::new());
        Self { address, from: None, method, target, headers, body }
    }

    /// Sets the local address from which to connect.
    #[must_use]
    pub fn from(mut self, from: IpAddr) -> Self {
        self.from = Some(from);
        self
    }

    /// Replaces path and query.
    #[must_use]
    pub fn at(mut self, target: &str) -> Self {
        target.clone_into(&mut self.target);
        self
    }

    /// Replaces the method.
    ///
    /// # Panics
    ///
    /// Panics if `method` is not a valid HTTP method.
    #[must_use]
    pub fn by(mut self, method: &str) -> Self {
        self.method = method.parse().expect("a method");
        self
    }

    /// Sets a header, and replaces an earlier one of the same name.
    ///
    /// # Panics
    ///
    /// Panics if name or value is not allowed in HTTP.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        let name: HeaderName = name.parse().expect("a header's name");
        self.headers.insert(name, HeaderValue::from_bytes(value.as_ref()).expect("a header's value"));
        self
    }

    /// Removes the header of this name.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.headers.remove(name);
        self
    }

    /// Sets an idempotency key.
    #[must_use]
    pub fn key(self, key: &str) -> Self {
        self.header("X-SP-IDEMPOTENCY-KEY", key)
    }

    /// Sets the body and the content type `application/json`.
    #[must_use]
    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        self
    }

    /// Sets this JSON as the body.
    #[must_use]
    pub fn json(self, body: &Value) -> Self {
        self.body(body.to_string())
    }

    /// Returns method and target, separated by a space.
    #[must_use]
    pub fn line(&self) -> String {
        format!("{} {}", self.method, self.target)
    }

    /// Returns headers and body.
    #[must_use]
    pub fn carried(&self) -> (&HeaderMap, &Bytes) {
        (&self.headers, &self.body)
    }

    /// Sends the call and reads the whole answer.
    ///
    /// # Panics
    ///
    /// Panics if no answer arrives.
    pub async fn send(self) -> Answer {
        let what = self.line();
        self.try_send().await.unwrap_or_else(|error| panic!("{what}: no answer: {error}"))
    }

    /// Sends the call and reads the whole answer, if there is one.
    ///
    /// # Errors
    ///
    /// Fails if the connection ends before the answer is complete, or the timeout expires.
    pub async fn try_send(self) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
        timeout(RESPONSE_TIMEOUT, self.exchange()).await?
    }

    async fn exchange(self) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
        let stream = connect(self.address, self.from).await?;
        stream.set_nodelay(true)?;
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        let connection = tokio::spawn(connection);
        let mut request = Request::builder().method(self.method).uri(&self.target);
        if let Some(headers) = request.headers_mut() {
            *headers = self.headers;
            headers.insert("host", HeaderValue::from_str(&self.address.to_string())?);
        }
        let response = sender.send_request(request.body(Full::new(self.body))?).await?;
        let (head, body) = response.into_parts();
        let body = body.collect().await?.to_bytes();
        connection.abort();
        Ok(Answer { status: head.status.as_u16(), headers: head.headers, body })
    }
}

/// A complete answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// Headers of the answer.
    pub headers: HeaderMap,
    /// Bytes of the body.
    pub body: Bytes,
}

impl Answer {
    /// Returns the body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns the body as JSON.
    ///
    /// # Panics
    ///
    /// Panics if the body is not JSON.
    #[must_use]
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{} {}", self.status, self.text()))
    }

    /// Returns the exact text of the field at `path`, such as `info.balance.amount` or `trans.0.amount`.
    ///
    /// # Panics
    ///
    /// Panics if there is no such field.
    #[must_use]
    #[track_caller]
    pub fn raw(&self, path: &str) -> String {
        let mut at: Box<RawValue> = serde_json::from_slice(&self.body).expect("JSON");
        for step in path.split('.') {
            let found = if let Ok(index) = step.parse::<usize>() {
                let mut list: Vec<Box<RawValue>> = serde_json::from_str(at.get()).expect("a list");
                (index < list.len()).then(|| list.swap_remove(index))
            } else {
                let mut map: HashMap<String, Box<RawValue>> =
                    serde_json::from_str(at.get()).expect("an object");
                map.remove(step)
            };
            at = found.unwrap_or_else(|| panic!("no {path} in {}", self.text()));
        }
        at.get().to_owned()
    }

    /// Returns the body of a success, after a check of the fields that every success has.
    ///
    /// # Panics
    ///
    /// Panics if the answer is not a success.
    #[track_caller]
    #[allow(clippy::must_use_candidate, reason = "that it is one may be all that is asked")]
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text());
        let body = self.json();
        assert_eq!((&body["error_code"], &body["http_code"]), (&"0".into(), &"200".into()), "{body}");
        assert!(body.get("error").is_none(), "{body}");
        body
    }

    /// Returns the `error` of a refusal with this status and `error_code`, after a check of the common fields.
    ///
    /// # Panics
    ///
    /// Panics if the answer is not such a refusal.
    #[track_caller]
    pub fn refused(&self, status: u16, error_code: &str) -> Value {
        let body = self.failure();
        let found = (self.status, body["error_code"].as_str().unwrap_or_default());
        assert_eq!(found, (status, error_code), "{body}");
        body["error"].clone()
    }

    /// Returns the body of an answer with a status of 4xx, after a check of its documented fields.
    ///
    /// # Panics
    ///
    /// Panics if the status is another, or a field is missing.
    #[track_caller]
    pub fn failure(&self) -> Value {
        assert!((400..500).contains(&self.status), "{} {}", self.status, self.text());
        let body = self.json();
        assert!(body["error"]["en"].as_str().is_some_and(|text| !text.is_empty()), "{body}");
        assert!(body["error"]["code"].as_str().is_some_and(|slug| !slug.is_empty()), "{body}");
        assert!(body["error_code"].is_string(), "{body}");
        assert_eq!(body["http_code"], self.status.to_string(), "{body}");
        assert_eq!(body["success"], false, "{body}");
        body
    }
}

/// Connects, optionally from a particular local address.
///
/// # Errors
///
/// Fails if no server listens at `address`, or `from` is not an address of this machine.
pub async fn connect(address: SocketAddr, from: Option<IpAddr>) -> io::Result<TcpStream> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    if let Some(from) = from {
        socket.bind((from, 0).into())?;
    }
    socket.connect(address).await
}

/// Sends these bytes unchanged and reads one answer. Returns none if the connection ends without one.
///
/// # Panics
///
/// Panics if no server listens at `address`.
pub async fn send_raw(address: SocketAddr, bytes: &[u8]) -> Option<Answer> {
    let mut stream = TcpStream::connect(address).await.expect("somebody listens");
    // The service may answer and close the connection before it has read everything.
    let _ = stream.write_all(bytes).await;
    let mut read = Vec::new();
    loop {
        if let Some(answer) = parse(&read) {
            return Some(answer);
        }
        match timeout(RESPONSE_TIMEOUT, stream.read_buf(&mut read)).await {
            Ok(Ok(count)) if count > 0 => {}
            _ => return None,
        }
    }
}

/// Parses the answer at the beginning of `bytes`, if it is complete.
fn parse(bytes: &[u8]) -> Option<Answer> {
    let head_length = bytes.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(&bytes[..head_length]).ok()?;
    let mut lines = head.lines();
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let pairs = lines.filter_map(|line| line.split_once(':'));
    let headers: HeaderMap =
        pairs.filter_map(|(name, value)| Some((name.parse().ok()?, value.trim().parse().ok()?))).collect();
    let length: usize = match headers.get("content-length") {
        Some(length) => length.to_str().ok()?.parse().ok()?,
        None => 0,
    };
    let body = bytes.get(head_length..head_length + length)?;
    Some(Answer { status, headers, body: Bytes::copy_from_slice(body) })
}
