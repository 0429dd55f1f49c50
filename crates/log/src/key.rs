//! Idempotency keys: written in the append's own database transaction, so that "used" means "it was done".

use uuid::Uuid;

/// How long a key counts, in milliseconds: 24 hours (`docs/reference/api.md`, Idempotency).
pub(crate) const LIFETIME_MS: i64 = 24 * 60 * 60 * 1000;

/// SHA-256 over platform, user, path and the client's key.
pub type Key = [u8; 32];

/// A key that a command used up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyUse {
    /// The key.
    pub key: Key,
    /// SHA-256 of the request body, to tell a repeat from a misuse.
    pub fingerprint: [u8; 32],
    /// What the command made.
    pub object: Option<Uuid>,
}

/// A key found to be used, with what its first request was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedKey {
    /// The first use.
    pub used: KeyUse,
    /// When it was recorded, in milliseconds since the Unix epoch.
    pub recorded_at_ms: i64,
}

/// The slot of the day that `at_ms` falls into: day modulo 3.
#[must_use]
pub(crate) fn day_slot(at_ms: i64) -> i16 {
    let day = at_ms.div_euclid(LIFETIME_MS);
    i16::try_from(day.rem_euclid(3)).unwrap_or_default()
}
