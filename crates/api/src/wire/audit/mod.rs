//! What the audit routes answer: shapes of `docs/reference/proof.md`, hashes in base64.

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
    /// The size of the older log.
    pub from: u64,
    /// The size of the newer log.
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

/// The most bytes that stand in a receipt as one text: a signature.
const TEXT_OF: usize = 68;

/// A few bytes as proofs show them: every answer to a write has some twenty of them, so none is a text of its own before.
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

/// Bytes as proofs show them.
pub(crate) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Hashes as proofs show them.
pub(crate) fn hashes(hashes: &[Hash]) -> Vec<String> {
    hashes.iter().map(|hash| base64(hash)).collect()
}
