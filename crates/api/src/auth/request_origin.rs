//! Authenticated sender of a request, for logs and limits. Handlers read the sender from their own extractor.

use actix_web::{HttpMessage, HttpRequest};
use daybook_domain::id::OperatorId;
use daybook_domain::{PlatformId, UserId};

/// Owner of the credentials that a request was authenticated with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestOrigin {
    /// A platform, with its secret or with a public key.
    Platform(PlatformId),
    /// A user of a platform.
    User(PlatformId, UserId),
    /// An operator.
    Operator(OperatorId),
}

impl RequestOrigin {
    /// Records the sender in the extensions of `request`.
    pub(super) fn note(self, request: &HttpRequest) {
        request.extensions_mut().insert(self);
    }

    /// Returns the sender of `request`; `None` if it is not authenticated.
    pub(crate) fn sent(request: &HttpRequest) -> Option<Self> {
        request.extensions().get().copied()
    }
}
