//! Personal data: sealed boxes and the keys of those whom they are about. The only crate that ever holds a key.
//!
//! Each subject has a data key of its own per [`Class`], kept in the table `vault.subject_key`, wrapped under the
//! master key. The log holds only boxes sealed with them: who destroys a subject's rows here has made every box of
//! that subject unreadable, wherever a copy may be. This crate knows nothing of the domain: subjects and boxes are
//! ids, their contents bytes. It draws no randomness: whoever calls brings it.

pub mod blind_index;
mod derived;
mod erase;
mod error;
mod key;
mod mac;
mod remembered;
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
use remembered::Room;
pub use ring::MasterKeys;
use ring::Ring;
pub use sealed_box::SubjectKeys;
pub use secret_file::{Pipes, read_secret, read_secret_text};
use token::TokenKey;
use uuid::Uuid;

/// A source of randomness: fills the bytes. Only the operating system's is good enough outside tests.
pub type Entropy<'a> = dyn Fn(&mut [u8]) + Send + Sync + 'a;

/// How many subjects' opened keys are kept in memory, with what their last boxes held: about 50 MB.
const CACHED_SUBJECTS: NonZeroUsize = NonZeroUsize::new(50_000).unwrap();

/// The keys of all subjects, behind one master key. Cheap to clone.
#[derive(Clone)]
pub struct Vault(Arc<Inner>);

struct Inner {
    pg: Pg,
    ring: Ring,
    macs: Macs,
    tokens: TokenKey,
    client_secrets: TokenKey,
    cache: Mutex<LruCache<(i16, Uuid), SubjectKeys>>,
    room: Room,
    /// How often something was forgotten, counted under the lock of `cache`.
    epoch: AtomicU64,
}

impl Vault {
    /// The vault in the database of `pg`, with keyed hashes and tokens under keys straight from the master key; connects
    /// to nothing. That is right for whoever makes none that others check: they outlive the master key, and
    /// [`Vault::open`] knows theirs.
    #[must_use]
    pub fn new(pg: Pg, master: impl Into<MasterKeys>) -> Self {
        let masters = master.into();
        Self::with(pg, Ring::new(&masters), &Derived::of(&masters.first))
    }

    /// Opens the vault in the database of `pg`. A vault that is opened for the first time stores its keys of hashes and
    /// tokens, noting `now_ms`; the data keys of `shard` tell then from which master key they come.
    ///
    /// # Errors
    ///
    /// [`Error::UnwrappedDerived`] and [`Error::Unwrapped`] if it belongs to another master key; [`Error::Database`].
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
            cache: Mutex::new(LruCache::new(CACHED_SUBJECTS)),
            room: Room::default(),
            epoch: AtomicU64::new(0),
        }))
    }

    /// Gives `subject` its keys, on the disk before this returns; keys that are there already stay. `now_ms` is
    /// noted beside them, in milliseconds since the Unix epoch.
    ///
    /// # Errors
    ///
    /// [`Error::Database`]; calling again is always safe. [`Error::UnknownShard`] if there is no such shard.
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

        let client = self.0.pg.client().await?;
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

        // Read back rather than kept: another writer's keys may have been there first. Nothing there at all means
        // that there was no row of the shard to drive the insert.
        self.read(shard, &[subject]).await?.remove(&subject).ok_or(Error::UnknownShard(shard))
    }

    /// Keys for `subject` that are kept nowhere: nobody ever opens again what is sealed with them.
    ///
    /// # Errors
    ///
    /// None that can be met: [`Error::Unwrapped`] if what was wrapped just now does not open.
    pub fn passing(&self, shard: i16, subject: Uuid, entropy: &Entropy<'_>) -> Result<SubjectKeys, Error> {
        let key = |class: Class| {
            let wrapped = self.0.ring.generate(shard, subject, class, entropy)?;
            Ok((class, self.0.ring.open(shard, subject, class, &wrapped)?))
        };
        let keys = Class::ALL.into_iter().map(key).collect::<Result<Vec<_>, Error>>()?;
        Ok(SubjectKeys::new(subject, keys, &self.0.room))
    }

    /// The keys of `subject`, from memory or else from the table; none if it never had any or was erased.
    ///
    /// # Errors
    ///
    /// [`Error::Database`]; [`Error::Unwrapped`] if the keys were wrapped under another master key.
    pub async fn keys(&self, shard: i16, subject: Uuid) -> Result<Option<SubjectKeys>, Error> {
        match self.cached(shard, subject) {
            Some(keys) => Ok(Some(keys)),
            // In a box: rarely needed, and every caller would be as large.
            None => Ok(Box::pin(self.read(shard, &[subject])).await?.remove(&subject)),
        }
    }

    /// The keys of many subjects, with one statement for those that are not in memory; who has none is left out.
    ///
    /// # Errors
    ///
    /// As [`Vault::keys`].
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

    /// The keys of `subject` if they are in memory, without waiting for anything.
    #[must_use]
    pub fn cached(&self, shard: i16, subject: Uuid) -> Option<SubjectKeys> {
        self.cache().get(&(shard, subject)).cloned()
    }

    /// A keyed hash of `parts` for one purpose: the same parts, cut at the same places, always give the same hash.
    #[must_use]
    pub fn mac(&self, purpose: Purpose, parts: &[&[u8]]) -> [u8; 32] {
        self.0.macs.mac(purpose, parts)
    }

    /// A token of a bank login that only `holder` can bring back: `plain`, sealed; 41 bytes longer.
    ///
    /// # Errors
    ///
    /// [`Error::TooLong`] beyond 256 GiB.
    pub fn seal_token(&self, holder: &[u8], plain: &[u8], entropy: &Entropy<'_>) -> Result<Vec<u8>, Error> {
        self.0.tokens.seal(holder, plain, entropy)
    }

    /// What [`Vault::seal_token`] sealed for `holder`.
    ///
    /// # Errors
    ///
    /// [`Error::Unopened`] if it was changed, or is another holder's; [`Error::UnknownLayout`] if it is no token.
    pub fn open_token(&self, holder: &[u8], token: &[u8]) -> Result<Vec<u8>, Error> {
        self.0.tokens.open(holder, token)
    }

    /// The secret of the client with this id, sealed; 41 bytes longer.
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

    /// What [`Vault::seal_client_secret`] sealed for this client.
    ///
    /// # Errors
    ///
    /// [`Error::Unopened`] if it was changed, or is another client's; [`Error::UnknownLayout`] if it is none.
    pub fn open_client_secret(&self, client_id: &str, sealed: &[u8]) -> Result<Vec<u8>, Error> {
        self.0.client_secrets.open(client_id.as_bytes(), sealed)
    }

    /// Reads and opens keys from the table, and remembers them unless somebody was erased meanwhile: it may be one of them.
    async fn read(&self, shard: i16, subjects: &[Uuid]) -> Result<HashMap<Uuid, SubjectKeys>, Error> {
        let epoch = self.0.epoch.load(Ordering::SeqCst);
        let client = self.0.pg.client().await?;
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
            // A class that only a newer binary knows seals nothing that this one reads.
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
        // A panic elsewhere while the lock was held cannot have left a wrong key behind.
        self.0.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Vault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Vault(redacted)")
    }
}
