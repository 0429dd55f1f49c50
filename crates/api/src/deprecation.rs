//! Header that marks an answer about a deprecated kind of record. Source: RFC 9745.

use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, Responder};

const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");

/// Date of the deprecation: 1 January 2025, before the first use of Daybook.
const SINCE: HeaderValue = HeaderValue::from_static("@1735689600");

/// An answer about a record whose kind may be deprecated.
#[derive(Clone, Debug)]
pub struct MaybeDeprecated<R> {
    /// The answer.
    pub answer: R,
    /// True if new software should not use this kind of record.
    pub is_deprecated: bool,
}

impl<R: Responder> Responder for MaybeDeprecated<R> {
    type Body = R::Body;
    fn respond_to(self, request: &HttpRequest) -> HttpResponse<R::Body> {
        let mut response = self.answer.respond_to(request);
        if self.is_deprecated {
            response.headers_mut().insert(DEPRECATION, SINCE);
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn only_deprecated_kinds_have_the_header() {
        for (is_deprecated, header) in [(true, Some(SINCE)), (false, None)] {
            let answer = MaybeDeprecated { answer: "x", is_deprecated };
            let response = answer.respond_to(&TestRequest::default().to_http_request());
            assert_eq!(response.headers().get(DEPRECATION).cloned(), header);
        }
    }
}
