//! Idempotency keys: a key is valid for one owner (a platform, a user of a platform, or an operator), one path, and 24
//! hours.

use actix_web::HttpRequest;
use daybook_domain::id::OperatorId;
use daybook_domain::{PlatformId, UserId};
use sha2::{Digest, Sha256};

/// Owner of an idempotency key. Two owners may choose the same key.
#[derive(Clone, Copy)]
pub(super) enum KeyOwner {
    /// A platform that calls with its own credentials.
    Platform(PlatformId),
    /// A user of a platform.
    User(PlatformId, UserId),
    /// An operator, who belongs to no platform.
    Operator(OperatorId),
}

impl KeyOwner {
    /// Returns the ids of the platform and of the user or operator. A missing id is zero, which no object has.
    fn ids(self) -> [[u8; 16]; 2] {
        let ids = match self {
            Self::Platform(platform) => [platform.as_u128(), 0],
            Self::User(platform, user) => [platform.as_u128(), user.as_u128()],
            Self::Operator(operator) => [0, operator.as_u128()],
        };
        ids.map(u128::to_be_bytes)
    }
}

/// Returns the SHA-256 over owner, path and the client's key, each preceded by its length. The path is hashed as the
/// router parsed it: the route's pattern and the ids in it, each of which has one spelling. Percent-encoding does not
/// make it another path.
pub(super) fn key(owner: KeyOwner, request: &HttpRequest, key: &str) -> [u8; 32] {
    key_at(owner, &request.match_pattern().unwrap_or_default(), request, key)
}

/// Returns the hash that the request would have if it, with the ids in its path, had been sent to `route`.
pub(super) fn key_at(owner: KeyOwner, route: &str, request: &HttpRequest, key: &str) -> [u8; 32] {
    let [platform, person] = owner.ids();
    let mut hash = Sha256::new();
    let ids = request.match_info().iter().flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]);
    let fixed = [&platform[..], &person, key.as_bytes(), route.as_bytes()];
    for part in fixed.into_iter().chain(ids) {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn same_key_of_two_owners_differs() {
        let request = TestRequest::default().to_http_request();
        let (platform, id) = (PlatformId::from_u128(1), 2);
        let owners = [
            KeyOwner::Platform(platform),
            KeyOwner::User(platform, UserId::from_u128(id)),
            KeyOwner::Operator(OperatorId::from_u128(id)),
            KeyOwner::Operator(OperatorId::from_u128(1)),
        ];
        let keys: std::collections::BTreeSet<_> =
            owners.into_iter().map(|owner| key(owner, &request, "k1")).collect();
        assert_eq!(keys.len(), owners.len());
        assert_eq!(key(owners[2], &request, "k1"), key(owners[2], &request, "k1"));
        assert_ne!(key(owners[2], &request, "k1"), key(owners[2], &request, "k2"));
    }
}
