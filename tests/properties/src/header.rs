//! Headers that authenticate a call. Input: the value, which is sent in each of them.

use actix_web::HttpRequest;
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::test::TestRequest;
use daybook_api::ApiError;
use daybook_api::auth::headers::{self, IdAndSecret, UserKey};

/// Maximum number of characters of a value, and of an idempotency key.
const MAX_CHARS: usize = 2_000;
const MAX_KEY_CHARS: usize = 1_000;

/// Checks that credentials are split at the first pipe, that no accepted value is too long, and that no error repeats a
/// value.
///
/// # Panics
///
/// Panics if the property is violated.
pub fn holds(data: &[u8]) {
    let Ok(value) = HeaderValue::from_bytes(data) else { return };
    let text = std::str::from_utf8(data).ok();
    for (name, read) in [("X-SP-GATEWAY", headers::gateway as Pair), ("X-SP-OPERATOR", headers::operator)] {
        let request = with(name, &value);
        match read(&request) {
            Ok(None) => assert_eq!(text.map(str::trim), Some("")),
            Ok(Some(IdAndSecret { id, secret })) => {
                assert_eq!(Some(format!("{id}|{secret}").as_str()), text.map(str::trim));
                assert!(!id.contains('|'));
            }
            Err(error) => says_nothing(&error, data),
        }
    }
    match headers::user(&with("X-SP-USER", &value)) {
        Ok(UserKey { key, fingerprint }) => {
            let said = text.expect("what is read is text").trim();
            assert!(said == key && fingerprint.is_empty() || said == format!("{key}|{fingerprint}"));
            assert!(said.chars().count() <= MAX_CHARS && !key.contains('|'));
        }
        Err(error) => says_nothing(&error, data),
    }
    match headers::idempotency_key(&with("X-SP-IDEMPOTENCY-KEY", &value)) {
        Ok(Some(key)) => assert!((1..=MAX_KEY_CHARS).contains(&key.chars().count()) && key == key.trim()),
        Ok(None) => assert_eq!(text.map(str::trim), Some("")),
        Err(error) => says_nothing(&error, data),
    }
}

/// Function that reads a header with two halves.
type Pair = fn(&HttpRequest) -> Result<Option<IdAndSecret<'_>>, ApiError>;

fn with(name: &'static str, value: &HeaderValue) -> HttpRequest {
    let name: HeaderName = name.parse().expect("a header's name");
    TestRequest::post().insert_header((name, value.clone())).to_http_request()
}

fn says_nothing(error: &ApiError, data: &[u8]) {
    // These errors have a constant text, of which a fuzzer eventually sends a part.
    if matches!(error, ApiError::Credentials | ApiError::OauthKey) {
        return;
    }
    // Shorter values occur in any sentence.
    let said = error.to_string();
    assert!(data.len() < 20 || !said.as_bytes().windows(data.len()).any(|part| part == data), "{said}");
}
