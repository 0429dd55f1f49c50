//! The header by which an answer says that what it is about is deprecated. Source: RFC 9745.

use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, Responder};

const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");

/// Since when what is deprecated was so: 1 January 2025, before anybody used Daybook.
const SINCE: HeaderValue = HeaderValue::from_static("@1735689600");

/// An answer about a record that may be of a deprecated kind.
#[derive(Clone, Debug)]
pub struct MaybeDeprecated<R> {
    /// The answer.
    pub answer: R,
    /// No new software should use what it is about.
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
    fn only_what_is_deprecated_says_so() {
        for (is_deprecated, header) in [(true, Some(SINCE)), (false, None)] {
            let answer = MaybeDeprecated { answer: "x", is_deprecated };
            let response = answer.respond_to(&TestRequest::default().to_http_request());
            assert_eq!(response.headers().get(DEPRECATION).cloned(), header);
        }
    }
}
