//! Rights that the calls of operators need.

use actix_web::HttpRequest;
use actix_web::http::Method;
use daybook_domain::roles::Right;

use Needed::{Nothing, OnPlatform};

/// Calls of operators below `/v3.1/ops`, with the right that each needs. A call that is not listed is refused.
const NEEDED: [(&str, &str, Needed); 20] = [
    ("GET", "operators/me", Nothing),
    ("GET", "platforms/{platform}/queued", OnPlatform(Right::Read)),
    ("GET", "platforms/{platform}/returned", OnPlatform(Right::Read)),
    ("GET", "platforms/{platform}/operations", OnPlatform(Right::Read)),
    ("POST", "platforms/{platform}/operations", OnPlatform(Right::Act)),
    ("GET", "platforms/{platform}/operations/{operation_id}", OnPlatform(Right::Read)),
    ("POST", "platforms/{platform}/operations/{operation_id}/approve", OnPlatform(Right::Review)),
    ("POST", "platforms/{platform}/operations/{operation_id}/decline", OnPlatform(Right::Review)),
    ("GET", "platforms/{platform}/open-items", OnPlatform(Right::Read)),
    ("GET", "platforms/{platform}/trial-balance", OnPlatform(Right::Read)),
    ("GET", "platforms/{platform}/custody", OnPlatform(Right::Read)),
    ("GET", "platforms/{platform}/reconciliation", OnPlatform(Right::Read)),
    ("GET", "platforms/{platform}/files", OnPlatform(Right::Read)),
    ("POST", "platforms/{platform}/files/returns", OnPlatform(Right::Act)),
    ("GET", "platforms/{platform}/files/{file_id}", OnPlatform(Right::Read)),
    ("GET", "platforms/{platform}/breaks", OnPlatform(Right::Read)),
    ("GET", "platforms/{platform}/rules", OnPlatform(Right::Read)),
    ("GET", "platforms/{platform}/statements", OnPlatform(Right::Read)),
    ("POST", "platforms/{platform}/statements", OnPlatform(Right::Act)),
    ("GET", "platforms/{platform}/statements/{bank_statement_id}", OnPlatform(Right::Read)),
];

/// Path of the calls of operators.
const BASE: &str = "/v3.1/ops/";

/// Right that a call needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needed {
    /// A right on the platform in the path.
    OnPlatform(Right),
    /// No right: the call is about the operator itself.
    Nothing,
}

/// Returns the right that a call needs; `None` for a call that is not listed.
pub(super) fn needed(request: &HttpRequest) -> Option<Needed> {
    let pattern = request.match_pattern()?;
    let path = pattern.strip_prefix(BASE)?;
    // HEAD answers as GET does.
    let method = if request.method() == Method::HEAD { "GET" } else { request.method().as_str() };
    NEEDED.iter().find(|(by, of, _)| (*by, *of) == (method, path)).map(|(.., needed)| *needed)
}
