//! Signing: the keys of a log, in memory or wherever somebody keeps them.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use daybook_proof::{Key, Signature, Signer};

use crate::Error;

/// How long whoever keeps a key may take, with the shard's lock held meanwhile; shorter than a flight of the writer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Signs roots and checkpoints: with a key in memory, or by asking whoever keeps it.
#[async_trait]
pub trait Sign: Send + Sync + 'static {
    /// The public key; its name is the origin of the log.
    fn key(&self) -> &Key;

    /// Signs `text`. Asked with the shard's lock held: whoever takes long holds up every write. After five seconds, or
    /// when the caller stops waiting, this is dropped; what is answered is checked.
    ///
    /// # Errors
    ///
    /// Whatever kept it from signing; nothing is appended then.
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

/// The keys of a log, as one process has them.
#[derive(Clone)]
pub struct Signers {
    /// Signs commits and checkpoints.
    pub newest: Arc<dyn Sign>,
    /// Those that it replaces: they sign checkpoints beside it.
    pub former: Vec<Arc<dyn Sign>>,
    /// Public keys of others that signed before, and do not any more.
    pub retired: Vec<Key>,
}

impl Signers {
    /// One key alone.
    #[must_use]
    pub fn new(newest: Arc<dyn Sign>) -> Self {
        Self { newest, former: vec![], retired: vec![] }
    }

    /// Those that sign a checkpoint, the newest first.
    pub fn all(&self) -> impl Iterator<Item = &dyn Sign> {
        std::iter::once(&self.newest).chain(&self.former).map(AsRef::as_ref)
    }

    /// Every public key, the newest last.
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

/// The signature of `text` by `signer`.
///
/// # Errors
///
/// [`Error::Unavailable`] if it fails or takes longer than five seconds; whoever keeps the key may be back in a moment.
/// [`Error::Refused`] if what it answers is not a signature of that text by its key.
pub async fn sign(signer: &dyn Sign, text: &str) -> Result<Signature, Error> {
    let signed = tokio::time::timeout(PATIENCE, signer.sign(text)).await;
    let signed = signed.map_err(|elapsed| Error::Unavailable(Box::new(elapsed)))?;
    let signature = signed.map_err(Error::Unavailable)?;
    // Once it is recorded it stays, and a receipt with it would bind nobody.
    let checked = signer.key().verify(text.as_bytes(), &signature);
    checked.map_err(|error| Error::Refused(Box::new(error)))?;
    Ok(signature)
}
