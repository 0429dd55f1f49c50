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
pub(super) type Call = Request<Full<Bytes>>;

/// A connection; its requests follow each other.
pub(super) struct Client {
    address: SocketAddr,
    sender: SendRequest<Full<Bytes>>,
}

impl Client {
    /// Connects; the connection is driven by a task on the current runtime.
    pub(super) async fn connect(address: SocketAddr) -> Result<Self, Error> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(std::io::Error::other)?;
        // A connection that breaks fails the request on it, which is where it is noticed.
        tokio::spawn(connection);
        Ok(Self { address, sender })
    }

    /// Sends a request and reads the answer to its end.
    pub(super) async fn send(&mut self, call: Call) -> Result<(StatusCode, Bytes), hyper::Error> {
        self.sender.ready().await?;
        let response = self.sender.send_request(call).await?;
        let status = response.status();
        Ok((status, response.into_body().collect().await?.to_bytes()))
    }

    /// Sends `body`, or nothing if it is null, and answers the JSON of a 200.
    pub(super) async fn json(
        &mut self,
        method: Method,
        path: &str,
        headers: &HeaderMap,
        body: &Value,
    ) -> Result<Value, Error> {
        let body = if body.is_null() { Bytes::new() } else { body.to_string().into() };
        let mut call = Request::builder().method(&method).uri(path).body(Full::new(body)).map_err(failed)?;
        call.headers_mut().extend(headers.clone());
        call.headers_mut().insert(HOST, host(self.address)?);
        let (status, answer) = self.send(call).await.map_err(failed)?;
        if status != StatusCode::OK {
            let answer = String::from_utf8_lossy(&answer);
            return Err(Error::Bench(format!("{method} {path} was answered {status}: {answer}")));
        }
        serde_json::from_slice(&answer).map_err(failed)
    }
}

/// The headers that every call carries beside `name`, which authenticates it.
pub(super) fn headers(name: &'static str, credentials: &str) -> Result<HeaderMap, Error> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert("x-sp-user-ip", HeaderValue::from_static("127.0.0.1"));
    headers.insert(HeaderName::from_static(name), HeaderValue::from_str(credentials).map_err(failed)?);
    Ok(headers)
}

/// The header `Host`, which HTTP/1.1 demands and hyper does not add.
pub(super) fn host(address: SocketAddr) -> Result<HeaderValue, Error> {
    HeaderValue::from_str(&address.to_string()).map_err(failed)
}

/// The text at `pointer`, which every answer of that kind has.
pub(super) fn text(answer: &Value, pointer: &str) -> Result<String, Error> {
    let found = answer.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    found.ok_or_else(|| Error::Bench(format!("no {pointer} in the answer {answer}")))
}

/// Something that should not go wrong did; there is nothing to do but to say so.
pub(super) fn failed(error: impl std::fmt::Display) -> Error {
    Error::Bench(error.to_string())
}
