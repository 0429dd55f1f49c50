//! What the audit routes answer: shapes of `docs/reference/proof.md`, hashes in base64.

pub mod balance;
pub mod event;
pub mod receipt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use daybook_proof::Hash;
use serde::Serialize;
use utoipa::ToSchema;

/// What shows that an older log is the beginning of a newer one.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Consistency {
    /// The size of the older one.
    pub from: u64,
    /// The hashes.
    pub proof: Vec<String>,
    /// The size of the newer one.
    pub to: u64,
}

/// Bytes as proofs show them.
pub(crate) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Hashes as proofs show them.
pub(crate) fn hashes(hashes: &[Hash]) -> Vec<String> {
    hashes.iter().map(|hash| base64(hash)).collect()
}
