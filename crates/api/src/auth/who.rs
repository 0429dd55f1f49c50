//! Who sent a request that was let in, for those who watch. Handlers take it from their own extractor.

use actix_web::{HttpMessage, HttpRequest};
use daybook_domain::id::OperatorId;
use daybook_domain::{PlatformId, UserId};

/// Whose credentials were good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// A platform, itself or by a public key of its own.
    Platform(PlatformId),
    /// A user of a platform.
    User(PlatformId, UserId),
    /// An operator.
    Operator(OperatorId),
}

impl Who {
    /// Notes who sent `request`.
    pub(super) fn note(self, request: &HttpRequest) {
        request.extensions_mut().insert(self);
    }

    /// Who sent `request`, if somebody was let in.
    pub(crate) fn sent(request: &HttpRequest) -> Option<Self> {
        request.extensions().get().copied()
    }
}
