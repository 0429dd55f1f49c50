//! Dry runs (simulation): the call is decided against the current state and answered, and nothing is recorded.

use actix_web::dev::ServiceResponse;
use actix_web::http::Method;
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{HttpMessage, HttpRequest};

use crate::error::ApiError;
use crate::query::Query;

/// Name of the query parameter.
const DRY_RUN: &str = "dry_run";

/// Response header that marks the answer to a dry run.
const HEADER: HeaderName = HeaderName::from_static("x-daybook-dry-run");

/// Marker in the request's extensions: the caller asked for a dry run.
struct DryRunRequested;

/// Returns true if a call that changes something is a dry run. On GET and HEAD the parameter is unknown and ignored.
pub(super) fn of(request: &HttpRequest) -> Result<bool, ApiError> {
    if [Method::GET, Method::HEAD].contains(request.method()) { Ok(false) } else { asked(request) }
}

/// Returns true if the call is a dry run, whatever its method: some GET requests change something. A HEAD request
/// changes nothing, so it is always a dry run of the GET.
///
/// # Errors
///
/// [`ApiError::Invalid`] unless the parameter is `true` or `false`.
pub(crate) fn asked(request: &HttpRequest) -> Result<bool, ApiError> {
    let is_asked = Query::of(request).text(DRY_RUN)?;
    match is_asked.as_deref() {
        None | Some("false") if request.method() != Method::HEAD => Ok(false),
        None | Some("false" | "true") => {
            request.extensions_mut().insert(DryRunRequested);
            Ok(true)
        }
        Some(_) => Err(ApiError::invalid(DRY_RUN, "must be true or false")),
    }
}

/// Refuses a dry run of an operation that the ledger alone does not decide. `why` ends the sentence "`dry_run` is not
/// for …".
///
/// # Errors
///
/// [`ApiError::Invalid`] if the call is a dry run.
pub(crate) fn refuse(is_dry_run: bool, why: &'static str) -> Result<(), ApiError> {
    if is_dry_run { Err(ApiError::invalid(DRY_RUN, format!("is not for {why}"))) } else { Ok(()) }
}

/// Adds the header to the answer of a dry run, also if the answer is an error.
pub(crate) fn mark(response: &mut ServiceResponse) {
    if response.request().extensions().contains::<DryRunRequested>() {
        response.headers_mut().insert(HEADER, HeaderValue::from_static("true"));
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn dry_run_is_exactly_true_or_false() {
        let read = |query: &str| asked(&TestRequest::with_uri(&format!("/?{query}")).to_http_request()).ok();
        for (query, asked) in
            [("", false), ("dry_run=false", false), ("dry_run=true", true), ("DRY_RUN=1", false)]
        {
            assert_eq!(read(query), Some(asked), "{query}");
        }
        for query in [
            "dry_run",
            "dry_run=",
            "dry_run=yes",
            "dry_run=TRUE",
            "dry_run=1",
            "dry_run=%00",
            "dry_run=true%20",
        ] {
            assert_eq!(read(query), None, "{query}");
        }
    }
}
