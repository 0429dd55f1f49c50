//! Seals and opens the boxes of one subject.

use std::sync::Arc;

use daybook_domain::id::BoxId;
use daybook_domain::{Sealed, Timestamp};
use daybook_vault::{Class, SubjectKeys};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::entropy::Entropy;

/// Why a box cannot be made or opened.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// The vault says no: another subject's key, or changed bytes.
    #[error(transparent)]
    Vault(#[from] daybook_vault::Error),
    /// What is inside is not what it should be. No more is said: the parser quotes what it dislikes.
    #[error("the contents of a box do not parse")]
    Contents,
}

impl From<serde_json::Error> for SealError {
    fn from(_: serde_json::Error) -> Self {
        Self::Contents
    }
}

/// One subject's keys with a source of ids and nonces.
#[derive(Clone, Debug)]
pub struct Sealer {
    keys: SubjectKeys,
    now: Timestamp,
    entropy: Entropy,
}

impl Sealer {
    /// A sealer for the subject of `keys`; box ids are made at `now`.
    #[must_use]
    pub fn new(keys: SubjectKeys, now: Timestamp, entropy: Entropy) -> Self {
        Self { keys, now, entropy }
    }

    /// Puts `contents` into a new box.
    ///
    /// # Errors
    ///
    /// [`SealError`] if the contents cannot be written as JSON or sealed.
    pub fn seal(&self, class: Class, contents: &impl Serialize) -> Result<Sealed, SealError> {
        let id = BoxId::from_u128(self.entropy.ulid(self.now));
        let plain = serde_json::to_vec(contents)?;
        let box_id = uuid::Uuid::from(id);
        let bytes = self.keys.seal(class, box_id, self.entropy.bytes(), &plain)?;
        Ok(Sealed { id, bytes: bytes.into() })
    }
}

/// Reads what is inside a box of the subject of `keys`.
///
/// # Errors
///
/// [`SealError`] if the box is another subject's or was changed, or holds something else.
pub fn open<T: DeserializeOwned>(keys: &SubjectKeys, class: Class, sealed: &Sealed) -> Result<T, SealError> {
    let plain = keys.open(class, uuid::Uuid::from(sealed.id), &sealed.bytes)?;
    Ok(serde_json::from_slice(&plain)?)
}

/// The same of a box that is read again and again: what was in it is remembered as long as `keys` are.
///
/// # Errors
///
/// As [`open`].
pub fn recall<T>(keys: &SubjectKeys, class: Class, sealed: &Sealed) -> Result<Arc<T>, SealError>
where
    T: DeserializeOwned + Send + Sync + 'static,
{
    let box_id = uuid::Uuid::from(sealed.id);
    keys.recall(class, box_id, &sealed.bytes, |plain| Ok(serde_json::from_slice(plain)?))
}
