//! Answers of the audit endpoints: schemas of `docs/reference/proof.md`, hashes in base64.

pub mod balance;
pub mod event;
pub mod receipt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use daybook_proof::Hash;
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use utoipa::{IntoParams, ToSchema};

use crate::ApiError;
use crate::in_query::Parameters;
use crate::query::Query;
use crate::wire::text::digits;

/// Two sizes of the log.
#[derive(Clone, Copy, Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Sizes {
    /// Size of the older log, in events.
    pub from: u64,
    /// Size of the newer log, in events.
    pub to: u64,
}

impl Parameters for Sizes {
    fn read(query: Query<'_>) -> Result<Self, ApiError> {
        let size = |name| {
            let text = query.text(name)?.ok_or_else(|| ApiError::missing(name))?;
            digits(&text).ok_or_else(|| ApiError::invalid(name, "must be the size of a checkpoint"))
        };
        Ok(Self { from: size("from")?, to: size("to")? })
    }
}

/// Proof that an older log is a prefix of a newer one.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Consistency {
    /// Size of the older log, in events.
    pub from: u64,
    /// Hashes of the proof in base64.
    pub proof: Vec<String>,
    /// Size of the newer log, in events.
    pub to: u64,
}

/// Maximum number of bytes that a receipt contains as one text: a signature.
const TEXT_OF: usize = 68;

/// Bytes that serialize as base64 without allocating. Every answer to a write contains about twenty of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Base64<const N: usize>(pub(crate) [u8; N]);

impl<const N: usize> Serialize for Base64<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const { assert!(N <= TEXT_OF, "there is room for its text") };
        let mut text = [0; TEXT_OF.div_ceil(3) * 4];
        let length = STANDARD.encode_slice(self.0, &mut text).map_err(S::Error::custom)?;
        serializer.serialize_str(std::str::from_utf8(&text[..length]).map_err(S::Error::custom)?)
    }
}

/// Encodes bytes in base64, as proofs show them.
pub(crate) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Encodes hashes in base64, as proofs show them.
pub(crate) fn hashes(hashes: &[Hash]) -> Vec<String> {
    hashes.iter().map(|hash| base64(hash)).collect()
}
