//! The body of a request: read whole, within a size, and then as JSON. Within which time, the server sees to.
//!
//! Everything that can be wrong with bytes is found here, so that what a route gets has the right shape. What the
//! fields mean, this file does not know.

mod budget;
mod depth;
mod malformed;
mod upload;

use std::future::Future;
use std::io::ErrorKind;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::http::header::{self, HeaderMap};
use actix_web::web::{Bytes, BytesMut, Data};
use actix_web::{FromRequest, HttpRequest};
pub use budget::Budget;
use budget::{Held, Speed};
use futures::StreamExt;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use tokio::time::{Instant, timeout, timeout_at};
pub use upload::{BankFile, Upload};

use crate::share::no_room;
use crate::{ApiError, App};

/// The largest body of a route in bytes, given to it as app data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyLimit(pub usize);

impl BodyLimit {
    /// Documents of a user come as base64 text.
    pub const USER: Self = Self(30 << 20);
    /// So do attachments of a transaction.
    pub const TRANSACTION: Self = Self(8 << 20);
    /// A file of a bank: a statement of 100,000 lines.
    pub const FILE: Self = Self(16 << 20);
}

impl Default for BodyLimit {
    /// Of a route that says nothing: 1 MiB.
    fn default() -> Self {
        Self(1 << 20)
    }
}

/// How much of a body that is too large is read and thrown away. A client that still writes when the connection
/// closes gets a reset and never sees the answer.
const DISCARD_AT_MOST: usize = 64 << 20;

/// How long that may take, and how long nothing may come: a client that waits for our answer sends nothing.
const DISCARD_WITHIN: Duration = Duration::from_secs(10);
const SILENT_AT_MOST: Duration = Duration::from_millis(500);

/// A request's body, whole.
#[derive(Clone, Debug, Default)]
pub struct Body {
    bytes: Bytes,
    /// Its part of what bodies may hold; none if it is not from a client.
    _held: Option<Arc<Held>>,
}

impl Body {
    /// The body as JSON.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] naming the field, or `body` if it is not JSON at all.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, ApiError> {
        let malformed = |text: &'static str| ApiError::invalid("body", text);
        if self.bytes.is_empty() {
            return Err(malformed("must be JSON, and is empty"));
        }
        let text = std::str::from_utf8(&self.bytes).map_err(|_| malformed("must be UTF-8"))?;
        // Before anything is parsed: a parser that skips a field that nobody asked for does not count its levels.
        if depth::exceeds(text.as_bytes(), depth::MAX) {
            return Err(malformed("is nested too deeply"));
        }
        parse(text)
    }

    /// The object in the field `outer` of a body, as it was written there.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] naming the field of the body.
    pub fn part<T: DeserializeOwned>(object: &RawValue, outer: &str) -> Result<T, ApiError> {
        parse(object.get()).map_err(|wrong| match &wrong {
            // Lines are counted from where the object begins, and where that is nobody has kept.
            ApiError::Invalid { text, .. } if text.starts_with(malformed::NO_JSON) => {
                ApiError::invalid("body", format!("{} in {outer}", malformed::NO_JSON))
            }
            _ => wrong.within(outer),
        })
    }

    /// Whether nothing was sent.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// SHA-256 of the bytes: tells a repeated request from another one under the same idempotency key.
    #[must_use]
    pub fn fingerprint(&self) -> [u8; 32] {
        Sha256::digest(&self.bytes).into()
    }
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, ApiError> {
    let malformed = |text: &'static str| ApiError::invalid("body", text);
    // To a parser a list may stand for an object, its fields in order; the contract has no such bodies.
    if text.trim_ascii_start().starts_with('[') {
        return Err(malformed("must be an object"));
    }
    // Keeping track of the path costs more than parsing: only if there is something to explain.
    serde_json::from_str(text).or_else(|_| {
        let mut parser = serde_json::Deserializer::from_str(text);
        serde_path_to_error::deserialize::<_, T>(&mut parser)
            .map_err(|error| malformed::explain(&error))
            .and(Err(malformed("must end where the JSON value ends")))
    })
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        Self { bytes, _held: None }
    }
}

impl FromRequest for Body {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let is_json = is_json(request.headers());
        let body = read_whole(request, payload);
        Box::pin(async move {
            let body = body.await?;
            // A client may name any type for a body that it does not send.
            if body.bytes.is_empty() || is_json { Ok(body) } else { Err(ApiError::MediaType) }
        })
    }
}

/// Reads the body within the limit of its route.
fn read_whole(
    request: &HttpRequest,
    payload: &mut Payload,
) -> impl Future<Output = Result<Body, ApiError>> + use<> {
    let BodyLimit(limit) = request.app_data().copied().unwrap_or_default();
    let is_announced_too_large = announced(request.headers()).is_some_and(|length| length > limit);
    let payload = payload.take();
    let budget = request.app_data::<Data<App>>().map(|app| app.bodies.clone()).unwrap_or_default();
    let request = request.clone();
    async move {
        if is_announced_too_large {
            return Err(too_large(payload).await);
        }
        read(&request, payload, limit, budget.begin()).await
    }
}

async fn read(
    request: &HttpRequest,
    mut payload: Payload,
    limit: usize,
    mut held: Held,
) -> Result<Body, ApiError> {
    let (mut bytes, mut speed) = (BytesMut::new(), Speed::new());
    while let Some(chunk) = next(&mut payload, bytes.len(), &mut speed).await? {
        let length = bytes.len() + chunk.len();
        if length > limit {
            drop((bytes, held));
            return Err(too_large(payload).await);
        }
        held.grow(request, bytes.len(), length).map_err(|part| no_room(request, part))?;
        bytes.extend_from_slice(&chunk);
    }
    Ok(Body { bytes: bytes.freeze(), _held: Some(Arc::new(held)) })
}

/// The next piece of a body that is `length` bytes long; a large one that trickles is not waited for.
async fn next(payload: &mut Payload, length: usize, speed: &mut Speed) -> Result<Option<Bytes>, ApiError> {
    let chunk = if length > budget::SMALL {
        let late = || broken_off(&PayloadError::Io(ErrorKind::TimedOut.into()));
        let until = speed.next(length, Instant::now()).ok_or_else(late)?;
        timeout_at(until, payload.next()).await.map_err(|_| late())?
    } else {
        speed.next(length, Instant::now());
        payload.next().await
    };
    chunk.transpose().map_err(|error| broken_off(&error))
}

/// How long the body is by its own account.
fn announced(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Answered the same whether or not the rest comes.
async fn too_large(payload: Payload) -> ApiError {
    let _ = timeout(DISCARD_WITHIN, discard(payload)).await;
    ApiError::TooLarge
}

async fn discard(mut payload: Payload) {
    let mut discarded = 0;
    while let Ok(Some(Ok(chunk))) = timeout(SILENT_AT_MOST, payload.next()).await {
        discarded += chunk.len();
        if discarded > DISCARD_AT_MOST {
            break;
        }
    }
}

fn broken_off(error: &PayloadError) -> ApiError {
    match error {
        PayloadError::Overflow => ApiError::TooLarge,
        PayloadError::Io(late) if late.kind() == ErrorKind::TimedOut => {
            ApiError::invalid("body", "did not arrive in time")
        }
        _ => ApiError::invalid("body", "did not arrive whole"),
    }
}

/// Whether the headers speak of plain JSON; of nothing is as good.
fn is_json(headers: &HeaderMap) -> bool {
    let essence = essence(headers);
    (essence.is_empty() || essence.eq_ignore_ascii_case("application/json")) && is_plain(headers)
}

/// The media type, without its parameters.
fn essence(headers: &HeaderMap) -> &str {
    said(headers, &header::CONTENT_TYPE).split(';').next().unwrap_or_default().trim()
}

/// Whether the body comes as it is, not packed.
fn is_plain(headers: &HeaderMap) -> bool {
    let encoding = said(headers, &header::CONTENT_ENCODING);
    encoding.is_empty() || encoding.eq_ignore_ascii_case("identity")
}

fn said<'a>(headers: &'a HeaderMap, name: &header::HeaderName) -> &'a str {
    let mut values = headers.get_all(name);
    match (values.next(), values.next()) {
        (None, _) => "",
        (Some(value), None) => value.to_str().unwrap_or("?").trim(),
        // Somebody on the way may have believed the other one.
        (Some(_), Some(_)) => "?",
    }
}

#[cfg(test)]
mod tests;
