//! Dry runs: a call that is decided at this moment, answered, and not carried out.

use actix_web::dev::ServiceResponse;
use actix_web::http::Method;
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{HttpMessage, HttpRequest};

use crate::error::ApiError;
use crate::query::Query;

/// The parameter.
const DRY_RUN: &str = "dry_run";

/// Says that nothing was carried out.
const HEADER: HeaderName = HeaderName::from_static("x-daybook-dry-run");

/// Marks a request that asks for a dry run.
struct Asked;

/// Whether a call that changes something asks for a dry run. On GET and HEAD the parameter is one that nobody knows.
pub(super) fn of(request: &HttpRequest) -> Result<bool, ApiError> {
    if [Method::GET, Method::HEAD].contains(request.method()) { Ok(false) } else { asked(request) }
}

/// The same, of any method: some GET changes something. A HEAD changes nothing, and so is a dry run of it.
///
/// # Errors
///
/// [`ApiError::Invalid`] unless it says `true` or `false`.
pub(crate) fn asked(request: &HttpRequest) -> Result<bool, ApiError> {
    let is_asked = Query::of(request).text(DRY_RUN)?;
    match is_asked.as_deref() {
        None | Some("false") if request.method() != Method::HEAD => Ok(false),
        None | Some("false" | "true") => {
            request.extensions_mut().insert(Asked);
            Ok(true)
        }
        Some(_) => Err(ApiError::invalid(DRY_RUN, "must be true or false")),
    }
}

/// Refuses a dry run of what is not decided by the ledger alone; `why` ends the sentence "`dry_run` is not for …".
///
/// # Errors
///
/// [`ApiError::Invalid`] if it is one.
pub(crate) fn refuse(is_dry_run: bool, why: &'static str) -> Result<(), ApiError> {
    if is_dry_run { Err(ApiError::invalid(DRY_RUN, format!("is not for {why}"))) } else { Ok(()) }
}

/// Says of the answer to a dry run, be it a refusal, that it is one.
pub(crate) fn mark(response: &mut ServiceResponse) {
    if response.request().extensions().contains::<Asked>() {
        response.headers_mut().insert(HEADER, HeaderValue::from_static("true"));
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn it_is_asked_for_in_one_way_only() {
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
