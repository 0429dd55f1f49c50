//! The headers that authenticate a call (`docs/reference/api.md`, Authentication).

use actix_web::HttpRequest;
use actix_web::http::Method;
use actix_web::http::header::HeaderMap;

use crate::error::ApiError;

/// The most characters of a header's parts.
const MAX_CHARS: usize = 1000;

/// Those that say who calls, from where, and which call it is.
const NAMES: [&str; 5] =
    ["X-SP-GATEWAY", "X-SP-USER", "X-SP-USER-IP", "X-SP-OPERATOR", "X-SP-IDEMPOTENCY-KEY"];

/// Whether each of the headers that say who calls is sent once, be it looked at or not.
///
/// # Errors
///
/// [`ApiError::Invalid`] that names it: somebody on the way may have believed the other one.
pub(crate) fn once(headers: &HeaderMap) -> Result<(), ApiError> {
    // Nearly every request has each of its headers once.
    let has_twice = headers.len() > headers.len_keys();
    let twice = NAMES.into_iter().find(|name| has_twice && headers.get_all(*name).nth(1).is_some());
    twice.map_or(Ok(()), |name| Err(ApiError::invalid(name, "must be sent once")))
}

/// A header as text; none if it is absent.
///
/// # Errors
///
/// [`ApiError::Invalid`] if it is not UTF-8, or longer than any honest one.
pub(super) fn text<'a>(request: &'a HttpRequest, name: &'static str) -> Result<Option<&'a str>, ApiError> {
    let Some(value) = request.headers().get(name) else { return Ok(None) };
    let text = std::str::from_utf8(value.as_bytes()).map_err(|_| ApiError::invalid(name, "must be UTF-8"))?;
    if text.chars().count() > 2 * MAX_CHARS {
        return Err(ApiError::invalid(name, "is too long"));
    }
    Ok(Some(text.trim()))
}

/// The two halves of a header that carries credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Halves<'a> {
    /// The id, which is public.
    pub id: &'a str,
    /// The secret.
    pub secret: &'a str,
}

/// The content of `X-SP-USER`; either part may be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserKey<'a> {
    /// The OAuth key.
    pub key: &'a str,
    /// The fingerprint of the device.
    pub fingerprint: &'a str,
}

/// `X-SP-GATEWAY`: client id and client secret.
///
/// # Errors
///
/// [`ApiError::Credentials`] if there is no pipe; [`ApiError::Invalid`] if it is too long or not UTF-8.
pub fn gateway(request: &HttpRequest) -> Result<Option<Halves<'_>>, ApiError> {
    credentials(request, "X-SP-GATEWAY")
}

/// `X-SP-OPERATOR`: operator id and operator secret.
///
/// # Errors
///
/// As [`gateway`].
pub fn operator(request: &HttpRequest) -> Result<Option<Halves<'_>>, ApiError> {
    credentials(request, "X-SP-OPERATOR")
}

/// A public and a secret half with a pipe between them; none if the header is absent or empty.
fn credentials<'a>(request: &'a HttpRequest, name: &'static str) -> Result<Option<Halves<'a>>, ApiError> {
    let Some(value) = text(request, name)?.filter(|value| !value.is_empty()) else { return Ok(None) };
    let (id, secret) = value.split_once('|').ok_or(ApiError::Credentials)?;
    Ok(Some(Halves { id, secret }))
}

/// `X-SP-USER`: OAuth key and fingerprint.
///
/// # Errors
///
/// [`ApiError::Invalid`] if it is too long or not UTF-8.
pub fn user(request: &HttpRequest) -> Result<UserKey<'_>, ApiError> {
    let value = text(request, "X-SP-USER")?.unwrap_or_default();
    let (key, fingerprint) = value.split_once('|').unwrap_or((value, ""));
    Ok(UserKey { key, fingerprint })
}

/// What is no secret of a key: all up to the last `_`, which names its platform; of what is no key little.
pub(super) fn public_half(key: &str) -> &str {
    key.rsplit_once('_').map_or("", |(public, _)| public)
}

/// `X-SP-IDEMPOTENCY-KEY`: 1 to 1,000 characters. It counts on POST only; clients send it along on later calls.
///
/// # Errors
///
/// As [`user`], and if the key is empty or too long: a client that has lost its key believes that it has one.
pub fn idempotency_key(request: &HttpRequest) -> Result<Option<&str>, ApiError> {
    const NAME: &str = "X-SP-IDEMPOTENCY-KEY";
    if request.method() != Method::POST {
        return Ok(None);
    }
    let key = text(request, NAME)?;
    match key {
        Some(key) if key.is_empty() || key.chars().count() > MAX_CHARS => {
            Err(ApiError::invalid(NAME, "must have 1 to 1,000 characters"))
        }
        key => Ok(key),
    }
}
