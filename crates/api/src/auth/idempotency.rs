//! What an idempotency key is good for: one platform, one user, one path, 24 hours.

use actix_web::HttpRequest;
use daybook_domain::{PlatformId, UserId};
use sha2::{Digest, Sha256};

/// SHA-256 over platform, user, path and the client's key, each with its length before it.
pub(super) fn key(platform: PlatformId, user: Option<UserId>, request: &HttpRequest, key: &str) -> [u8; 32] {
    let user = user.map_or(0, UserId::as_u128).to_be_bytes();
    let mut hash = Sha256::new();
    for part in [&platform.as_u128().to_be_bytes()[..], &user, request.path().as_bytes(), key.as_bytes()] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}
