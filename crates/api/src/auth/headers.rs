//! Headers that authenticate a call (`docs/reference/api.md`, Authentication).

use actix_web::HttpRequest;
use actix_web::http::Method;
use actix_web::http::header::HeaderMap;

use crate::error::ApiError;

/// Maximum number of characters of each part of a header.
const MAX_CHARS: usize = 1000;

/// Headers that identify the caller, its address and its call. Each may occur once.
const NAMES: [&str; 5] =
    ["X-SP-GATEWAY", "X-SP-USER", "X-SP-USER-IP", "X-SP-OPERATOR", "X-SP-IDEMPOTENCY-KEY"];

/// Checks that none of these headers is sent twice, whether the route reads it or not.
///
/// # Errors
///
/// [`ApiError::Invalid`] with the header's name: a proxy on the way may have read the other value.
pub(crate) fn once(headers: &HeaderMap) -> Result<(), ApiError> {
    // Fast path: nearly every request has no repeated header.
    let has_twice = headers.len() > headers.len_keys();
    let twice = NAMES.into_iter().find(|name| has_twice && headers.get_all(*name).nth(1).is_some());
    twice.map_or(Ok(()), |name| Err(ApiError::invalid(name, "must be sent once")))
}

/// Returns a header as text without surrounding blanks; `None` if it is absent.
///
/// # Errors
///
/// [`ApiError::Invalid`] if it is not UTF-8 or is longer than 2,000 characters.
pub(super) fn text<'a>(request: &'a HttpRequest, name: &'static str) -> Result<Option<&'a str>, ApiError> {
    let Some(value) = request.headers().get(name) else { return Ok(None) };
    let text = std::str::from_utf8(value.as_bytes()).map_err(|_| ApiError::invalid(name, "must be UTF-8"))?;
    if text.chars().count() > 2 * MAX_CHARS {
        return Err(ApiError::invalid(name, "is too long"));
    }
    Ok(Some(text.trim()))
}

/// Id and secret of a header that carries credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdAndSecret<'a> {
    /// The id, which is public.
    pub id: &'a str,
    /// The secret.
    pub secret: &'a str,
}

/// Content of `X-SP-USER`; either part may be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserKey<'a> {
    /// The OAuth key.
    pub key: &'a str,
    /// The fingerprint of the device.
    pub fingerprint: &'a str,
}

/// Reads `X-SP-GATEWAY`: client id and client secret.
///
/// # Errors
///
/// [`ApiError::Credentials`] if there is no `|`; [`ApiError::Invalid`] if the header is too long or not UTF-8.
pub fn gateway(request: &HttpRequest) -> Result<Option<IdAndSecret<'_>>, ApiError> {
    credentials(request, "X-SP-GATEWAY")
}

/// Reads `X-SP-OPERATOR`: operator id and operator secret.
///
/// # Errors
///
/// The same as [`gateway`].
pub fn operator(request: &HttpRequest) -> Result<Option<IdAndSecret<'_>>, ApiError> {
    credentials(request, "X-SP-OPERATOR")
}

/// Splits a header at its first `|` into id and secret; returns `None` if the header is absent or empty.
fn credentials<'a>(
    request: &'a HttpRequest,
    name: &'static str,
) -> Result<Option<IdAndSecret<'a>>, ApiError> {
    let Some(value) = text(request, name)?.filter(|value| !value.is_empty()) else { return Ok(None) };
    let (id, secret) = value.split_once('|').ok_or(ApiError::Credentials)?;
    Ok(Some(IdAndSecret { id, secret }))
}

/// Reads `X-SP-USER`: OAuth key and fingerprint.
///
/// # Errors
///
/// [`ApiError::Invalid`] if the header is too long or not UTF-8.
pub fn user(request: &HttpRequest) -> Result<UserKey<'_>, ApiError> {
    let value = text(request, "X-SP-USER")?.unwrap_or_default();
    let (key, fingerprint) = value.split_once('|').unwrap_or((value, ""));
    Ok(UserKey { key, fingerprint })
}

/// Returns the public part of a key: everything up to the last `_`, which names its platform. Returns an empty text if
/// there is no `_`.
pub(super) fn public_half(key: &str) -> &str {
    key.rsplit_once('_').map_or("", |(public, _)| public)
}

/// Reads `X-SP-IDEMPOTENCY-KEY`: 1 to 1,000 characters. The header counts on POST only; clients send it with other
/// methods as well.
///
/// # Errors
///
/// The same as [`user`]; also if the key is empty or too long, because the client relies on a key that would not work.
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
