//! Signing keys of a log, in memory or held by an external signer.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use daybook_proof::{Key, Signature, Signer};

use crate::Error;

/// Timeout of a signature. The writer holds the shard's lock meanwhile, so this is shorter than the writer's timeout
/// for one round trip to the database.
const SIGNER_TIMEOUT: Duration = Duration::from_secs(5);

/// Signer of roots and checkpoints: a key in memory, or an external signer.
#[async_trait]
pub trait Sign: Send + Sync + 'static {
    /// Returns the public key. Its name is the origin of the log.
    fn key(&self) -> &Key;

    /// Signs `text`.
    ///
    /// The caller holds the shard's lock, so a slow signer delays every write. The future is dropped after five
    /// seconds, or when the caller stops waiting. The caller verifies the signature.
    ///
    /// # Errors
    ///
    /// The reason for which the signer did not sign. In that case nothing is appended.
    async fn sign(&self, text: &str) -> Result<Signature, Box<dyn std::error::Error + Send + Sync>>;
}

#[async_trait]
impl Sign for Signer {
    fn key(&self) -> &Key {
        Self::key(self)
    }

    async fn sign(&self, text: &str) -> Result<Signature, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self::sign(self, text.as_bytes()))
    }
}

/// Keys of a log that one process uses.
#[derive(Clone)]
pub struct Signers {
    /// Signer of commits and checkpoints.
    pub newest: Arc<dyn Sign>,
    /// Signers that `newest` replaces. They sign checkpoints as well.
    pub former: Vec<Arc<dyn Sign>>,
    /// Public keys that signed in the past and do not sign any more.
    pub retired: Vec<Key>,
}

impl Signers {
    /// Creates a set with one key.
    #[must_use]
    pub fn new(newest: Arc<dyn Sign>) -> Self {
        Self { newest, former: vec![], retired: vec![] }
    }

    /// Returns the signers of a checkpoint, the newest first.
    pub fn all(&self) -> impl Iterator<Item = &dyn Sign> {
        std::iter::once(&self.newest).chain(&self.former).map(AsRef::as_ref)
    }

    /// Returns every public key, the newest last.
    #[must_use]
    pub fn keys(&self) -> Vec<Key> {
        let signing = self.former.iter().chain([&self.newest]).map(|signer| signer.key().clone());
        self.retired.iter().cloned().chain(signing).collect()
    }
}

impl<S: Sign> From<S> for Signers {
    fn from(signer: S) -> Self {
        Self::new(Arc::new(signer))
    }
}

/// Signs `text` with `signer` and verifies the signature.
///
/// # Errors
///
/// [`Error::Unavailable`] if the signer fails or takes longer than five seconds; a retry may succeed.
/// [`Error::Refused`] if the answer is not a signature of `text` by the signer's key.
pub async fn sign(signer: &dyn Sign, text: &str) -> Result<Signature, Error> {
    let signed = tokio::time::timeout(SIGNER_TIMEOUT, signer.sign(text)).await;
    let signed = signed.map_err(|elapsed| Error::Unavailable(Box::new(elapsed)))?;
    let signature = signed.map_err(Error::Unavailable)?;
    // A recorded signature is permanent, and a receipt with a wrong one would prove nothing.
    let checked = signer.key().verify(text.as_bytes(), &signature);
    checked.map_err(|error| Error::Refused(Box::new(error)))?;
    Ok(signature)
}
