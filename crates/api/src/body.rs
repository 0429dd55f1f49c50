//! Body of a request: read completely, within a size limit, then parsed as JSON. The server enforces the time limit.
//!
//! This module finds every error of form, so that a route receives a body of the right shape. It does not know the
//! meaning of fields.

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
use budget::{BodyPermit, Speed};
use daybook_engine::share::LimitHolder;
use futures::StreamExt;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use tokio::time::{Instant, sleep, timeout, timeout_at};
pub(crate) use upload::StatementFile;
pub use upload::{BankFile, StatementUpload, Upload};

use crate::auth::RequestOrigin;
use crate::path::{PlatformName, id};
use crate::share::limit_reached;
use crate::{ApiError, App};

/// Maximum size of a route's body in bytes, set as the route's app data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyLimit(pub usize);

impl BodyLimit {
    /// Limit for calls with documents of a user, which are base64 text: 30 MiB.
    pub const USER: Self = Self(30 << 20);
    /// Limit for calls with attachments of a transaction, which are base64 text: 8 MiB.
    pub const TRANSACTION: Self = Self(8 << 20);
    /// Limit for a bank's file of returns: 16 MiB.
    pub const FILE: Self = Self(16 << 20);
    /// Limit for a bank's file with statements: 64 MiB. Above [`BodyLimit::FILE`], one is read and taken at a time for a
    /// platform, outside the budget of other bodies.
    pub const STATEMENTS: Self = Self(64 << 20);
}

impl Default for BodyLimit {
    /// Limit of a route that sets none: 1 MiB.
    fn default() -> Self {
        Self(1 << 20)
    }
}

/// Maximum number of bytes of a too large body that are read and discarded. A client that is still writing when the
/// connection closes gets a reset and never sees the answer.
const MAX_DISCARDED_BYTES: usize = 64 << 20;

/// Maximum time to discard such a body, and maximum pause between two chunks: a client that waits for the answer sends
/// nothing.
const DISCARD_TIMEOUT: Duration = Duration::from_secs(10);
const DISCARD_IDLE_TIMEOUT: Duration = Duration::from_millis(500);

/// Interval at which a large body waits for the judgement on its credentials.
const CREDENTIALS_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Complete body of a request.
#[derive(Clone, Debug, Default)]
pub struct Body {
    bytes: Bytes,
    /// Share of the memory budget that the body occupies; `None` if the body does not come from a client.
    held: Option<Arc<BodyPermit>>,
}

impl Body {
    /// Parses the body as JSON.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] naming the field, or `body` if the body is not JSON.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, ApiError> {
        let malformed = |text: &'static str| ApiError::invalid("body", text);
        if self.bytes.is_empty() {
            return Err(malformed("must be JSON, and is empty"));
        }
        let text = std::str::from_utf8(&self.bytes).map_err(|_| malformed("must be UTF-8"))?;
        // Checked before parsing: a parser that skips an unknown field does not count its levels.
        if depth::exceeds(text.as_bytes(), depth::MAX) {
            return Err(malformed("is nested too deeply"));
        }
        parse(text)
    }

    /// Parses the object in the field `outer` of a body.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] naming the field of the body.
    pub fn part<T: DeserializeOwned>(object: &RawValue, outer: &str) -> Result<T, ApiError> {
        parse(object.get()).map_err(|wrong| match &wrong {
            // The parser counts lines from the beginning of the inner object, whose place in the body is unknown.
            ApiError::Invalid { text, .. } if text.starts_with(malformed::NO_JSON) => {
                ApiError::invalid("body", format!("{} in {outer}", malformed::NO_JSON))
            }
            _ => wrong.within(outer),
        })
    }

    /// Returns true if the client sent no body.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the SHA-256 of the bytes. It tells a repeated request from another request with the same idempotency
    /// key.
    #[must_use]
    pub fn fingerprint(&self) -> [u8; 32] {
        Sha256::digest(&self.bytes).into()
    }
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, ApiError> {
    let malformed = |text: &'static str| ApiError::invalid("body", text);
    // The parser accepts an array for an object, with the fields in order. The API has no such bodies.
    if text.trim_ascii_start().starts_with('[') {
        return Err(malformed("must be an object"));
    }
    // Tracking the path costs more than parsing, so it is done only to explain an error.
    serde_json::from_str(text).or_else(|_| {
        let mut parser = serde_json::Deserializer::from_str(text);
        serde_path_to_error::deserialize::<_, T>(&mut parser)
            .map_err(|error| malformed::explain(&error))
            .and(Err(malformed("must end where the JSON value ends")))
    })
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        Self { bytes, held: None }
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
            // A client may name any media type if it sends no body.
            if body.bytes.is_empty() || is_json { Ok(body) } else { Err(ApiError::MediaType) }
        })
    }
}

/// Reads the body within the size limit of its route.
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
        read(&request, payload, limit, &budget).await
    }
}

async fn read(
    request: &HttpRequest,
    mut payload: Payload,
    limit: usize,
    budget: &Budget,
) -> Result<Body, ApiError> {
    let mut held = budget.begin();
    let (mut bytes, mut speed) = (BytesMut::new(), Speed::new());
    while let Some(chunk) = next(&mut payload, bytes.len(), &mut speed).await? {
        let length = bytes.len() + chunk.len();
        if length > limit {
            drop((bytes, held));
            return Err(too_large(payload).await);
        }
        if length > BodyLimit::FILE.0 && limit == BodyLimit::STATEMENTS.0 && !held.is_alone() {
            match alone(request, budget).await {
                Ok(permit) => held = permit,
                Err(error) => {
                    drop((bytes, held));
                    let _ = timeout(DISCARD_TIMEOUT, discard(payload)).await;
                    return Err(error);
                }
            }
        }
        held.grow(request, bytes.len(), length).map_err(|part| limit_reached(request, part))?;
        bytes.extend_from_slice(&chunk);
    }
    Ok(Body { bytes: bytes.freeze(), held: Some(Arc::new(held)) })
}

/// Takes the permit for a large file with statements about the platform in the path. Waits until the credentials are
/// judged: a caller without them must not keep others out.
async fn alone(request: &HttpRequest, budget: &Budget) -> Result<BodyPermit, ApiError> {
    // The extractor of the credentials runs beside this one, and ends the call if they are wrong.
    while RequestOrigin::sent(request).is_none() {
        sleep(CREDENTIALS_POLL_INTERVAL).await;
    }
    let platform = match request.app_data::<Data<App>>() {
        Some(app) => id::<PlatformName>(request)?.find(app).await?.id,
        None => return Err(ApiError::NotFound),
    };
    let permit = budget.alone(LimitHolder::Platform(platform.as_u128()));
    permit.map_err(|part| limit_reached(request, part))
}

/// Reads the next chunk of a body of which `length` bytes have arrived. A large body that arrives too slowly is an
/// error.
async fn next(payload: &mut Payload, length: usize, speed: &mut Speed) -> Result<Option<Bytes>, ApiError> {
    let chunk = if length > budget::MAX_SMALL_BODY_BYTES {
        let late = || broken_off(&PayloadError::Io(ErrorKind::TimedOut.into()));
        let until = speed.next(length, Instant::now()).ok_or_else(late)?;
        timeout_at(until, payload.next()).await.map_err(|_| late())?
    } else {
        speed.next(length, Instant::now());
        payload.next().await
    };
    chunk.transpose().map_err(|error| broken_off(&error))
}

/// Returns the length that `Content-Length` announces.
fn announced(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Discards the rest of a too large body; returns the same error whether the rest arrives or not.
async fn too_large(payload: Payload) -> ApiError {
    let _ = timeout(DISCARD_TIMEOUT, discard(payload)).await;
    ApiError::TooLarge
}

async fn discard(mut payload: Payload) {
    let mut discarded = 0;
    while let Ok(Some(Ok(chunk))) = timeout(DISCARD_IDLE_TIMEOUT, payload.next()).await {
        discarded += chunk.len();
        if discarded > MAX_DISCARDED_BYTES {
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

/// Returns true if the headers declare uncompressed JSON or no media type at all.
fn is_json(headers: &HeaderMap) -> bool {
    let essence = essence(headers);
    (essence.is_empty() || essence.eq_ignore_ascii_case("application/json")) && is_plain(headers)
}

/// Returns the media type without its parameters.
fn essence(headers: &HeaderMap) -> &str {
    said(headers, &header::CONTENT_TYPE).split(';').next().unwrap_or_default().trim()
}

/// Returns true if the body has no content encoding.
fn is_plain(headers: &HeaderMap) -> bool {
    let encoding = said(headers, &header::CONTENT_ENCODING);
    encoding.is_empty() || encoding.eq_ignore_ascii_case("identity")
}

fn said<'a>(headers: &'a HeaderMap, name: &header::HeaderName) -> &'a str {
    let mut values = headers.get_all(name);
    match (values.next(), values.next()) {
        (None, _) => "",
        (Some(value), None) => value.to_str().unwrap_or("?").trim(),
        // A proxy on the way may have read the other value.
        (Some(_), Some(_)) => "?",
    }
}

#[cfg(test)]
mod tests;
