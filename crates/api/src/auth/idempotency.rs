//! What an idempotency key is good for: one platform, one user, one path, 24 hours.

use actix_web::HttpRequest;
use daybook_domain::{PlatformId, UserId};
use sha2::{Digest, Sha256};

/// SHA-256 over platform, user, path and the client's key, each with its length before it. The path counts as the
/// router read it: its route and the ids in it, of which each has one spelling. Escapes do not make it another path.
pub(super) fn key(platform: PlatformId, user: Option<UserId>, request: &HttpRequest, key: &str) -> [u8; 32] {
    let user = user.map_or(0, UserId::as_u128).to_be_bytes();
    let mut hash = Sha256::new();
    let route = request.match_pattern().unwrap_or_default();
    let ids = request.match_info().iter().flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]);
    let fixed = [&platform.as_u128().to_be_bytes()[..], &user, key.as_bytes(), route.as_bytes()];
    for part in fixed.into_iter().chain(ids) {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}
