//! One keep-alive connection to the service, and calls that set the stage before the clock runs.

use std::net::SocketAddr;

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

use crate::commands::Error;

/// The request of every call.
pub(crate) type Call = Request<Full<Bytes>>;

/// What was answered, read to its end.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// A connection; its requests follow each other.
pub(crate) struct Client {
    /// The header `Host`, which HTTP/1.1 demands and hyper does not add.
    host: HeaderValue,
    sender: SendRequest<Full<Bytes>>,
}

impl Client {
    /// Connects; the connection is driven by a task on the current runtime.
    pub(crate) async fn connect(address: SocketAddr) -> Result<Self, Error> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(std::io::Error::other)?;
        // A connection that breaks fails the request on it, which is where it is noticed.
        tokio::spawn(connection);
        Ok(Self { host: HeaderValue::from_str(&address.to_string()).map_err(failed)?, sender })
    }

    /// Whether the service has closed it, as it does with those that nobody used for a while.
    pub(crate) fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    /// Sends a request and reads the answer to its end.
    pub(crate) async fn send(&mut self, mut call: Call) -> Result<Answer, Error> {
        call.headers_mut().insert(HOST, self.host.clone());
        self.sender.ready().await.map_err(failed)?;
        let (head, body) = self.sender.send_request(call).await.map_err(failed)?.into_parts();
        let body = body.collect().await.map_err(failed)?.to_bytes();
        Ok(Answer { status: head.status, headers: head.headers, body })
    }

    /// Sends `body`, or nothing if it is null, and answers the JSON of a 200.
    pub(crate) async fn json(
        &mut self,
        method: Method,
        path: &str,
        headers: &HeaderMap,
        body: &Value,
    ) -> Result<Value, Error> {
        let body = if body.is_null() { Bytes::new() } else { body.to_string().into() };
        let mut call = Request::builder().method(&method).uri(path).body(Full::new(body)).map_err(failed)?;
        call.headers_mut().extend(headers.clone());
        let answer = self.send(call).await?;
        if answer.status != StatusCode::OK {
            let (status, said) = (answer.status, String::from_utf8_lossy(&answer.body));
            return Err(Error::Bench(format!("{method} {path} was answered {status}: {said}")));
        }
        serde_json::from_slice(&answer.body).map_err(failed)
    }
}

/// The headers that every call carries beside `name`, which authenticates it.
pub(crate) fn headers(name: &'static str, credentials: &str) -> Result<HeaderMap, Error> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert("x-sp-user-ip", HeaderValue::from_static("127.0.0.1"));
    headers.insert(HeaderName::from_static(name), HeaderValue::from_str(credentials).map_err(failed)?);
    Ok(headers)
}

/// The text at `pointer`, which every answer of that kind has.
pub(crate) fn text(answer: &Value, pointer: &str) -> Result<String, Error> {
    let found = answer.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    found.ok_or_else(|| Error::Bench(format!("no {pointer} in the answer {answer}")))
}

/// Something that should not go wrong did; there is nothing to do but to say so.
pub(crate) fn failed(error: impl std::fmt::Display) -> Error {
    Error::Bench(error.to_string())
}
