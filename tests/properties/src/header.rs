//! Headers that authenticate a call. Input: the value, which is sent as each of them.

use actix_web::HttpRequest;
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::test::TestRequest;
use daybook_api::ApiError;
use daybook_api::auth::headers::{self, Halves, UserKey};

/// The most characters of a value, and of an idempotency key.
const MAX_CHARS: usize = 2_000;
const MAX_KEY_CHARS: usize = 1_000;

/// Halves of credentials are what stands on both sides of the first pipe; nothing is longer than it may be, and no error
/// repeats a value.
///
/// # Panics
///
/// If something does not hold.
pub fn holds(data: &[u8]) {
    let Ok(value) = HeaderValue::from_bytes(data) else { return };
    let text = std::str::from_utf8(data).ok();
    for (name, read) in [("X-SP-GATEWAY", headers::gateway as Pair), ("X-SP-OPERATOR", headers::operator)] {
        let request = with(name, &value);
        match read(&request) {
            Ok(None) => assert_eq!(text.map(str::trim), Some("")),
            Ok(Some(Halves { id, secret })) => {
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

/// Reads a header with two halves.
type Pair = fn(&HttpRequest) -> Result<Option<Halves<'_>>, ApiError>;

fn with(name: &'static str, value: &HeaderValue) -> HttpRequest {
    let name: HeaderName = name.parse().expect("a header's name");
    TestRequest::post().insert_header((name, value.clone())).to_http_request()
}

fn says_nothing(error: &ApiError, data: &[u8]) {
    // They are told in one sentence, whatever was sent; a fuzzer writes a piece of it after a while.
    if matches!(error, ApiError::Credentials | ApiError::OauthKey) {
        return;
    }
    // Shorter ones occur in any sentence.
    let said = error.to_string();
    assert!(data.len() < 20 || !said.as_bytes().windows(data.len()).any(|part| part == data), "{said}");
}
