//! Idempotency keys. They are inserted in the database transaction of the append, so a used key means that its command
//! was carried out.

use uuid::Uuid;

/// Lifetime of a key in milliseconds: 24 hours (`docs/reference/api.md`, Idempotency).
pub(crate) const LIFETIME_MS: i64 = 24 * 60 * 60 * 1000;

/// Hash of a client's idempotency key: SHA-256 over platform, user, path and the key itself.
pub type Key = [u8; 32];

/// Use of an idempotency key by a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyUse {
    /// Hash of the key.
    pub key: Key,
    /// SHA-256 of the request body. It distinguishes a repeated request from another request with the same key.
    pub fingerprint: [u8; 32],
    /// Id of the object that the command created, if it created one.
    pub object: Option<Uuid>,
}

/// A key that is in use, with the details of its first request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedKey {
    /// First use of the key.
    pub used: KeyUse,
    /// Time of the commit with that use, in milliseconds since the Unix epoch.
    pub recorded_at_ms: i64,
}

/// Returns the slot (0, 1 or 2) that stores the keys of the day of `at_ms`: the number of the day modulo 3.
#[must_use]
pub(crate) fn day_slot(at_ms: i64) -> i16 {
    let day = at_ms.div_euclid(LIFETIME_MS);
    i16::try_from(day.rem_euclid(3)).unwrap_or_default()
}
