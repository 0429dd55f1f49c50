//! HTTP client of the harness: one connection, opened on demand. It returns a complete answer or the reason why there
//! is none, and never retries.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{CONTENT_TYPE, HOST, HeaderMap};
use hyper::http::response::Parts;
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// A complete answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// Response headers.
    pub headers: HeaderMap,
    /// Body as JSON; null if the body is not JSON.
    pub body: Value,
}

impl Answer {
    /// Returns the log position that the service states in the answer, if any.
    pub fn position(&self) -> Option<u64> {
        self.headers.get("x-daybook-position")?.to_str().ok()?.parse().ok()
    }

    /// Returns the text at the JSON pointer `pointer`; empty if there is none.
    pub fn text(&self, pointer: &str) -> &str {
        self.body.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }
}

/// Reason why a call has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// No process listens at the address: nothing was sent.
    Unconnected,
    /// The connection ended before the complete answer was read.
    Cut,
    /// The answer did not arrive within the timeout.
    Late,
}

/// A call: method, path, headers and body.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// HTTP method.
    pub method: Method,
    /// Path and query.
    pub path: String,
    /// Headers besides host and content type.
    pub headers: Vec<(&'static str, String)>,
    /// Body; null for no body.
    pub body: Value,
}

/// Sends calls to one address, one after the other.
pub struct Client {
    address: SocketAddr,
    patience: Duration,
    sender: Option<SendRequest<Full<Bytes>>>,
}

impl Client {
    /// Creates a client for `address` with the timeout `patience` for each answer.
    pub const fn new(address: SocketAddr, patience: Duration) -> Self {
        Self { address, patience, sender: None }
    }

    /// Sends a GET to `path`, without credentials.
    pub async fn get(&mut self, path: &str) -> Result<Answer, Lost> {
        let (method, path) = (Method::GET, path.to_owned());
        self.send(&Call { method, path, headers: vec![], body: Value::Null }).await
    }

    /// Sends a GET to `path`, and returns the body as text.
    pub async fn page(&mut self, path: &str) -> Result<String, Lost> {
        let (method, path) = (Method::GET, path.to_owned());
        let call = Call { method, path, headers: vec![], body: Value::Null };
        let (_, body) = timeout(self.patience, self.transfer(&call)).await.unwrap_or(Err(Lost::Late))?;
        Ok(String::from_utf8_lossy(&body).into_owned())
    }

    /// Opens the connection if it is not open. Returns false if no process listens.
    pub async fn open(&mut self) -> bool {
        if self.sender.as_ref().is_none_or(SendRequest::is_closed) {
            self.sender = timeout(self.patience, connect(self.address)).await.ok().flatten();
        }
        self.sender.is_some()
    }

    /// Sends a call and reads the complete answer.
    pub async fn send(&mut self, call: &Call) -> Result<Answer, Lost> {
        let answer = timeout(self.patience, self.exchange(call)).await.unwrap_or(Err(Lost::Late));
        if answer.is_err() {
            self.sender = None;
        }
        answer
    }

    async fn exchange(&mut self, call: &Call) -> Result<Answer, Lost> {
        let (head, body) = self.transfer(call).await?;
        let body = serde_json::from_slice(&body).unwrap_or_default();
        Ok(Answer { status: head.status.as_u16(), headers: head.headers, body })
    }

    async fn transfer(&mut self, call: &Call) -> Result<(Parts, Bytes), Lost> {
        let mut sender = match self.sender.take() {
            Some(sender) if !sender.is_closed() => sender,
            _ => connect(self.address).await.ok_or(Lost::Unconnected)?,
        };
        sender.ready().await.map_err(|_| Lost::Unconnected)?;
        let request = request(call, self.address).ok_or(Lost::Unconnected)?;
        let (head, body) = sender.send_request(request).await.map_err(|_| Lost::Cut)?.into_parts();
        let body = body.collect().await.map_err(|_| Lost::Cut)?.to_bytes();
        self.sender = Some(sender);
        Ok((head, body))
    }
}

/// Opens a connection; a task of its own drives it.
async fn connect(address: SocketAddr) -> Option<SendRequest<Full<Bytes>>> {
    let stream = TcpStream::connect(address).await.ok()?;
    stream.set_nodelay(true).ok()?;
    let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.ok()?;
    tokio::spawn(connection);
    Some(sender)
}

fn request(call: &Call, address: SocketAddr) -> Option<Request<Full<Bytes>>> {
    let body = if call.body.is_null() { Bytes::new() } else { call.body.to_string().into() };
    let mut request =
        Request::builder().method(&call.method).uri(&call.path).header(HOST, address.to_string());
    request = request.header(CONTENT_TYPE, "application/json");
    for (name, value) in &call.headers {
        request = request.header(*name, value);
    }
    request.body(Full::new(body)).ok()
}
