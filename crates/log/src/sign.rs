//! Signing keys of a log, in memory or held by an external signer.
//!
//! Each shard is a log with an origin of its own: that of shard 1 is in the key file, and the others replace its last
//! segment. The secret key is the same.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use daybook_proof::{Key, Signature, Signer};

use crate::{Error, Shard};

/// Timeout of a signature. The writer holds the shard's lock meanwhile, so this is shorter than the writer's timeout
/// for one round trip to the database.
const SIGNER_TIMEOUT: Duration = Duration::from_secs(5);

/// The shard of a log that has only one. Its origin is in the key file, and its account numbers are the first.
pub const FIRST_SHARD: Shard = 1;

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

/// Reason for which a key signs nothing of a shard but the first.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the origin {origin} does not end in /1, so that there is none for shard {shard}")]
pub struct NoOriginForShard {
    /// Origin of shard 1.
    pub origin: String,
    /// The other shard.
    pub shard: Shard,
}

impl From<NoOriginForShard> for Error {
    fn from(error: NoOriginForShard) -> Self {
        Self::Refused(Box::new(error))
    }
}

/// Signer of a shard that is not the first: the signer of the first under another origin.
struct ShardSigner {
    first: Arc<dyn Sign>,
    key: Key,
}

#[async_trait]
impl Sign for ShardSigner {
    fn key(&self) -> &Key {
        &self.key
    }

    async fn sign(&self, text: &str) -> Result<Signature, Box<dyn std::error::Error + Send + Sync>> {
        let signature = self.first.sign(text).await?;
        let is_own = signature.key_id == self.first.key().id();
        // The signature of another key keeps its id, and is refused by the caller.
        Ok(if is_own { Signature { key_id: self.key.id(), ..signature } } else { signature })
    }
}

/// Returns `first`, the signer of shard 1, as the signer of `shard`.
///
/// # Errors
///
/// [`NoOriginForShard`] if `shard` is not the first one and the origin does not end in `/1`.
pub(crate) fn signer_of(shard: Shard, first: &Arc<dyn Sign>) -> Result<Arc<dyn Sign>, NoOriginForShard> {
    if shard == FIRST_SHARD {
        return Ok(Arc::clone(first));
    }
    let key = key_of(shard, first.key())?;
    Ok(Arc::new(ShardSigner { first: Arc::clone(first), key }))
}

/// Returns `first`, a key of shard 1, as a key of `shard`.
///
/// # Errors
///
/// [`NoOriginForShard`] if `shard` is not the first one and the origin does not end in `/1`.
pub fn key_of(shard: Shard, first: &Key) -> Result<Key, NoOriginForShard> {
    if shard == FIRST_SHARD {
        return Ok(first.clone());
    }
    let renamed =
        first.name().strip_suffix("/1").and_then(|log| first.renamed(&format!("{log}/{shard}")).ok());
    renamed.ok_or_else(|| NoOriginForShard { origin: first.name().to_owned(), shard })
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

    /// Returns these keys, which are of shard 1, as the keys of `shard`.
    ///
    /// # Errors
    ///
    /// [`NoOriginForShard`] if `shard` is not the first one and the origin of a key does not end in `/1`.
    pub fn of(&self, shard: Shard) -> Result<Self, NoOriginForShard> {
        Ok(Self {
            newest: signer_of(shard, &self.newest)?,
            former: self.former.iter().map(|signer| signer_of(shard, signer)).collect::<Result<_, _>>()?,
            retired: self.retired.iter().map(|key| key_of(shard, key)).collect::<Result<_, _>>()?,
        })
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

#[cfg(test)]
#[allow(clippy::expect_used, reason = "a test")]
mod tests {
    use super::*;

    fn signer(name: &str, seed: u8) -> Signer {
        Signer::new(name, &[seed; 32]).expect("a name")
    }

    /// A signer that answers with the signature of another key.
    struct Mistaken(Signer, Signer);

    #[async_trait]
    impl Sign for Mistaken {
        fn key(&self) -> &Key {
            self.0.key()
        }

        async fn sign(&self, text: &str) -> Result<Signature, Box<dyn std::error::Error + Send + Sync>> {
            Ok(self.1.sign(text.as_bytes()))
        }
    }

    #[tokio::test]
    async fn signer_of_shard_names_its_origin() {
        let mut signers = Signers::from(signer("ledger.example/1", 1));
        signers.former.push(Arc::new(signer("ledger.example/1", 2)));
        signers.retired.push(signer("ledger.example/1", 3).key().clone());
        assert_eq!(signers.of(1).expect("is the first").keys(), signers.keys());
        let seventh = signers.of(7).expect("has an origin");
        let expected = [3, 2, 1].map(|seed| signer("ledger.example/7", seed).key().clone());
        assert_eq!(seventh.keys(), expected);
        for signer in seventh.all() {
            let signature = super::sign(signer, "text").await.expect("signs");
            assert_eq!(signer.key().verify(b"text", &signature), Ok(()));
            assert!(signers.keys().iter().all(|key| key.verify(b"text", &signature).is_err()));
        }
    }

    #[test]
    fn key_without_shard_has_one_origin() {
        for origin in ["ledger.example", "ledger.example/2", "ledger.example/11", "ledger.example/1/a"] {
            let signers = Signers::from(signer(origin, 1));
            assert_eq!(signers.of(1).expect("is the first").keys(), signers.keys());
            let refused = signers.of(2).err().expect("has no origin").to_string();
            assert!(refused.contains(origin), "{refused}");
        }
        let mut signers = Signers::from(signer("ledger.example/1", 1));
        signers.retired.push(signer("ledger.example", 2).key().clone());
        assert!(signers.of(2).is_err());
    }

    #[tokio::test]
    async fn signature_of_another_key_is_refused() {
        let own = || signer("ledger.example/1", 1);
        for other in [signer("ledger.example/1", 2), signer("other.example/1", 1)] {
            let signers = Signers::from(Mistaken(own(), other));
            for shard in [1, 2] {
                let signers = signers.of(shard).expect("has an origin");
                assert!(super::sign(&*signers.newest, "text").await.is_err(), "shard {shard}");
            }
        }
    }
}
