//! Sealing and opening of one subject's boxes (envelope encryption).

use std::sync::Arc;

use daybook_domain::id::BoxId;
use daybook_domain::{Sealed, Timestamp};
use daybook_vault::{Class, SubjectKeys};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::entropy::Entropy;

/// Reason why a box cannot be sealed or opened.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// The vault refused: the key is another subject's, or the bytes were altered.
    #[error(transparent)]
    Vault(#[from] daybook_vault::Error),
    /// The content cannot be parsed. Details are omitted, because the parser quotes the content in its errors.
    #[error("the contents of a box do not parse")]
    Contents,
}

impl From<serde_json::Error> for SealError {
    fn from(_: serde_json::Error) -> Self {
        Self::Contents
    }
}

/// The keys of one subject, with a source of ids and nonces.
#[derive(Clone, Debug)]
pub struct Sealer {
    keys: SubjectKeys,
    now: Timestamp,
    entropy: Entropy,
}

impl Sealer {
    /// Creates a sealer for the subject of `keys`. Box ids carry the time `now`.
    #[must_use]
    pub fn new(keys: SubjectKeys, now: Timestamp, entropy: Entropy) -> Self {
        Self { keys, now, entropy }
    }

    /// Seals `contents` in a new box.
    ///
    /// # Errors
    ///
    /// [`SealError`] if the contents cannot be serialized to JSON or sealed.
    pub fn seal(&self, class: Class, contents: &impl Serialize) -> Result<Sealed, SealError> {
        let id = BoxId::from_u128(self.entropy.ulid(self.now));
        let plain = serde_json::to_vec(contents)?;
        let box_id = uuid::Uuid::from(id);
        let bytes = self.keys.seal(class, box_id, self.entropy.bytes(), &plain)?;
        Ok(Sealed { id, bytes: bytes.into() })
    }
}

/// Opens a box of the subject of `keys`.
///
/// # Errors
///
/// [`SealError`] if the box is another subject's, was altered, or has other content.
pub fn open<T: DeserializeOwned>(keys: &SubjectKeys, class: Class, sealed: &Sealed) -> Result<T, SealError> {
    let plain = keys.open(class, uuid::Uuid::from(sealed.id), &sealed.bytes)?;
    Ok(serde_json::from_slice(&plain)?)
}

/// Opens a box that is read repeatedly. The content is cached as long as `keys` are.
///
/// # Errors
///
/// Those of [`open`].
pub fn open_cached<T>(keys: &SubjectKeys, class: Class, sealed: &Sealed) -> Result<Arc<T>, SealError>
where
    T: DeserializeOwned + Send + Sync + 'static,
{
    let box_id = uuid::Uuid::from(sealed.id);
    keys.open_cached(class, box_id, &sealed.bytes, |plain| Ok(serde_json::from_slice(plain)?))
}
