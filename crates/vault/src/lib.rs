//! Envelope encryption of personal data, with crypto-shredding. The only crate that ever holds a key for it.
//!
//! - A *subject* is a person. Each subject has a data key for each [`Class`]. The table `vault.subject_key` stores
//!   these keys, wrapped under the master key ([`MasterKey`], [`MasterKeys`]).
//! - A *box* is ciphertext of one subject, sealed with [`SubjectKeys`]. The log, the read models and their backups
//!   contain boxes only.
//! - [`Vault::erase`] destroys the keys of a subject (crypto-shredding). No box of the subject can be opened
//!   afterwards, wherever a copy of it is.
//! - [`blind_index`] finds subjects by a prefix of a name and stores keyed hashes only. [`rewrap`] wraps the stored
//!   keys again after a change of the master key. [`Vault::mac`] computes keyed hashes.
//!
//! The crate knows nothing of the domain: subjects and boxes are ids, and contents are bytes. Randomness is an argument
//! ([`Entropy`]).
//!
//! # Example
//!
//! ```
//! use daybook_pg::{Config, Pg};
//! use daybook_vault::{Class, MasterKey, Vault};
//! use uuid::Uuid;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // The pool connects when it is used first. These keys are not stored, so they need no database;
//! // `Vault::create` and `Vault::keys` store and read the keys of a subject.
//! let pg = Pg::new(Config::from_url("postgres://localhost/daybook")?)?;
//! let vault = Vault::new(pg, MasterKey::from_bytes([7; 32]));
//! let (subject, box_id, nonce) = (Uuid::from_u128(1), Uuid::from_u128(2), [9; 24]);
//! let keys = vault.passing(1, subject, &|bytes: &mut [u8]| bytes.fill(3))?;
//!
//! let sealed = keys.seal(Class::Profile, box_id, nonce, b"Ada Lovelace")?;
//! assert_eq!(keys.open(Class::Profile, box_id, &sealed)?, b"Ada Lovelace");
//!
//! // A box that is moved to the place of another one does not open.
//! assert!(keys.open(Class::Profile, Uuid::from_u128(3), &sealed).is_err());
//! # Ok(())
//! # }
//! ```

pub mod blind_index;
mod derived;
mod erase;
mod error;
mod key;
mod mac;
mod opened_box_cache;
pub mod rewrap;
mod ring;
mod sealed_box;
mod secret_file;
#[cfg(feature = "testing")]
mod testing;
mod token;

use std::collections::HashMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use daybook_pg::Pg;
pub use daybook_pg::certificates;
use daybook_pg::types::TimestampMs;
use derived::Derived;
pub use erase::Traces;
pub use error::Error;
pub use key::{Class, MasterKey, create_key_file};
use lru::LruCache;
use mac::Macs;
pub use mac::{Purpose, ct_eq};
use opened_box_cache::SharedCapacity;
pub use ring::MasterKeys;
use ring::Ring;
pub use sealed_box::SubjectKeys;
pub use secret_file::{Pipes, read_secret, read_secret_text};
use token::TokenKey;
use uuid::Uuid;

/// Source of randomness: fills the bytes. Outside tests only the source of the operating system is good enough.
pub type Entropy<'a> = dyn Fn(&mut [u8]) + Send + Sync + 'a;

/// Maximum number of subjects with opened keys in memory, together with their cached box contents: about 50 MB.
const MAX_CACHED_SUBJECTS: NonZeroUsize = NonZeroUsize::new(50_000).unwrap();

/// Keys of all subjects, under one master key. Clones are cheap.
#[derive(Clone)]
pub struct Vault(Arc<Inner>);

struct Inner {
    pg: Pg,
    ring: Ring,
    macs: Macs,
    tokens: TokenKey,
    client_secrets: TokenKey,
    cache: Mutex<LruCache<(i16, Uuid), SubjectKeys>>,
    room: SharedCapacity,
    /// Number of removals from the cache, counted under its lock.
    epoch: AtomicU64,
}

impl Vault {
    /// Creates a vault in the database of `pg`, without connecting. Its keys for hashes and tokens are derived directly
    /// from the master key.
    ///
    /// Use it only if no other process checks the hashes and tokens that it makes: stored ones outlive the master key,
    /// and only [`Vault::open`] loads their keys.
    #[must_use]
    pub fn new(pg: Pg, master: impl Into<MasterKeys>) -> Self {
        let masters = master.into();
        Self::with(pg, Ring::new(&masters), &Derived::of(&masters.first))
    }

    /// Opens the vault in the database of `pg`. The first opening stores the keys for hashes and tokens, with the time
    /// `now_ms`. The data keys of `shard` determine the master key that they are derived from.
    ///
    /// # Errors
    ///
    /// [`Error::UnwrappedDerived`] and [`Error::Unwrapped`] if the vault belongs to another master key;
    /// [`Error::Database`].
    pub async fn open(
        pg: Pg,
        master: impl Into<MasterKeys>,
        shard: i16,
        now_ms: i64,
        entropy: &Entropy<'_>,
    ) -> Result<Self, Error> {
        let masters = master.into();
        let ring = Ring::new(&masters);
        let derived = Derived::load(&pg, &masters, &ring, shard, now_ms, entropy).await?;
        Ok(Self::with(pg, ring, &derived))
    }

    fn with(pg: Pg, ring: Ring, derived: &Derived) -> Self {
        Self(Arc::new(Inner {
            pg,
            ring,
            macs: Macs::new(derived),
            tokens: TokenKey::new(derived, token::BANK_LOGIN),
            client_secrets: TokenKey::new(derived, token::CLIENT_SECRET),
            cache: Mutex::new(LruCache::new(MAX_CACHED_SUBJECTS)),
            room: SharedCapacity::default(),
            epoch: AtomicU64::new(0),
        }))
    }

    /// Creates the keys of `subject`. They are on disk before this returns. Existing keys stay. `now_ms` is stored
    /// beside the keys, in milliseconds since the Unix epoch.
    ///
    /// # Errors
    ///
    /// [`Error::Database`]; calling again is always safe. [`Error::UnknownShard`] if the shard does not exist.
    pub async fn create(
        &self,
        shard: i16,
        subject: Uuid,
        now_ms: i64,
        entropy: &Entropy<'_>,
    ) -> Result<SubjectKeys, Error> {
        let wrapped = Class::ALL
            .iter()
            .map(|&class| self.0.ring.generate(shard, subject, class, entropy))
            .collect::<Result<Vec<_>, _>>()?;
        let classes = Class::ALL.map(Class::number);
        let master = self.0.ring.first().name().as_slice();

        let client = self.0.pg.of(shard).client().await?;
        let statement = client
            .prepare_cached(include_str!("sql/create_keys.sql"))
            .await
            .map_err(daybook_pg::Error::from)?;
        client
            .execute(
                &statement,
                &[&shard, &subject, &classes.as_slice(), &wrapped, &TimestampMs(now_ms), &master],
            )
            .await
            .map_err(daybook_pg::Error::from)?;
        drop(client);

        // Read back, because another writer may have stored its keys first. No keys at all means that the shard has no
        // row, from which the insert starts.
        self.read(shard, &[subject]).await?.remove(&subject).ok_or(Error::UnknownShard(shard))
    }

    /// Creates keys for `subject` that are not stored. A box that is sealed with them cannot be opened after they are
    /// dropped.
    ///
    /// # Errors
    ///
    /// None in practice: [`Error::Unwrapped`] if a key that was just wrapped does not open.
    pub fn passing(&self, shard: i16, subject: Uuid, entropy: &Entropy<'_>) -> Result<SubjectKeys, Error> {
        let key = |class: Class| {
            let wrapped = self.0.ring.generate(shard, subject, class, entropy)?;
            Ok((class, self.0.ring.open(shard, subject, class, &wrapped)?))
        };
        let keys = Class::ALL.into_iter().map(key).collect::<Result<Vec<_>, Error>>()?;
        Ok(SubjectKeys::new(subject, keys, &self.0.room))
    }

    /// Returns the keys of `subject`, from memory or from the table; `None` if it never had keys or was erased.
    ///
    /// # Errors
    ///
    /// [`Error::Database`]; [`Error::Unwrapped`] if the keys were wrapped under another master key.
    pub async fn keys(&self, shard: i16, subject: Uuid) -> Result<Option<SubjectKeys>, Error> {
        match self.cached(shard, subject) {
            Some(keys) => Ok(Some(keys)),
            // Boxed, because it is rarely needed and would enlarge the future of every caller.
            None => Ok(Box::pin(self.read(shard, &[subject])).await?.remove(&subject)),
        }
    }

    /// Returns the keys of many subjects, with one statement for those that are not in memory. Subjects without keys
    /// are left out.
    ///
    /// # Errors
    ///
    /// Same as [`Vault::keys`].
    pub async fn keys_of(&self, shard: i16, subjects: &[Uuid]) -> Result<HashMap<Uuid, SubjectKeys>, Error> {
        let mut found = HashMap::with_capacity(subjects.len());
        let mut missing = Vec::new();
        {
            let mut cache = self.cache();
            for &subject in subjects {
                match cache.get(&(shard, subject)) {
                    Some(keys) => drop(found.insert(subject, keys.clone())),
                    None => missing.push(subject),
                }
            }
        }
        if !missing.is_empty() {
            found.extend(Box::pin(self.read(shard, &missing)).await?);
        }
        Ok(found)
    }

    /// Returns the keys of `subject` if they are in memory. Never waits.
    #[must_use]
    pub fn cached(&self, shard: i16, subject: Uuid) -> Option<SubjectKeys> {
        self.cache().get(&(shard, subject)).cloned()
    }

    /// Returns a keyed hash of `parts` for one purpose. It depends on the parts and on the boundaries between them.
    #[must_use]
    pub fn mac(&self, purpose: Purpose, parts: &[&[u8]]) -> [u8; 32] {
        self.0.macs.mac(purpose, parts)
    }

    /// Seals `plain` as a token of a bank login that is valid only for `holder`. The token is 41 bytes longer than
    /// `plain`.
    ///
    /// # Errors
    ///
    /// [`Error::TooLong`] beyond 256 GiB.
    pub fn seal_token(&self, holder: &[u8], plain: &[u8], entropy: &Entropy<'_>) -> Result<Vec<u8>, Error> {
        self.0.tokens.seal(holder, plain, entropy)
    }

    /// Opens a token that [`Vault::seal_token`] sealed for `holder`.
    ///
    /// # Errors
    ///
    /// [`Error::Unopened`] if the token was changed or is another holder's; [`Error::UnknownLayout`] if it is not a
    /// token.
    pub fn open_token(&self, holder: &[u8], token: &[u8]) -> Result<Vec<u8>, Error> {
        self.0.tokens.open(holder, token)
    }

    /// Seals the secret of the client with this id. The result is 41 bytes longer than the secret.
    ///
    /// # Errors
    ///
    /// [`Error::TooLong`] beyond 256 GiB.
    pub fn seal_client_secret(
        &self,
        client_id: &str,
        secret: &str,
        entropy: &Entropy<'_>,
    ) -> Result<Vec<u8>, Error> {
        self.0.client_secrets.seal(client_id.as_bytes(), secret.as_bytes(), entropy)
    }

    /// Opens a secret that [`Vault::seal_client_secret`] sealed for this client.
    ///
    /// # Errors
    ///
    /// [`Error::Unopened`] if the secret was changed or is another client's; [`Error::UnknownLayout`] if it is not a
    /// sealed secret.
    pub fn open_client_secret(&self, client_id: &str, sealed: &[u8]) -> Result<Vec<u8>, Error> {
        self.0.client_secrets.open(client_id.as_bytes(), sealed)
    }

    /// Reads and unwraps keys from the table. They are cached, unless a subject was erased meanwhile: it may be one of
    /// these.
    async fn read(&self, shard: i16, subjects: &[Uuid]) -> Result<HashMap<Uuid, SubjectKeys>, Error> {
        let epoch = self.0.epoch.load(Ordering::SeqCst);
        let client = self.0.pg.of(shard).client().await?;
        let statement = client
            .prepare_cached(include_str!("sql/read_keys.sql"))
            .await
            .map_err(daybook_pg::Error::from)?;
        let rows = client.query(&statement, &[&shard, &subjects]).await.map_err(daybook_pg::Error::from)?;

        let mut opened: HashMap<Uuid, Vec<_>> = HashMap::with_capacity(subjects.len());
        for row in rows {
            let subject: Uuid = row.try_get(0).map_err(daybook_pg::Error::from)?;
            let number: i16 = row.try_get(1).map_err(daybook_pg::Error::from)?;
            let wrapped: &[u8] = row.try_get(2).map_err(daybook_pg::Error::from)?;
            // A class that only a newer binary knows protects no box that this one reads.
            let Some(class) = Class::from_number(number) else { continue };
            let key = self.0.ring.open(shard, subject, class, wrapped)?;
            opened.entry(subject).or_default().push((class, key));
        }

        let mut cache = self.cache();
        let is_fresh = self.0.epoch.load(Ordering::SeqCst) == epoch;
        let found = opened.into_iter().map(|(subject, keys)| {
            let keys = SubjectKeys::new(subject, keys, &self.0.room);
            if is_fresh {
                cache.put((shard, subject), keys.clone());
            }
            (subject, keys)
        });
        Ok(found.collect())
    }

    fn cache(&self) -> MutexGuard<'_, LruCache<(i16, Uuid), SubjectKeys>> {
        // A panic while the lock was held cannot have left a wrong key behind.
        self.0.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Vault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Vault(redacted)")
    }
}
