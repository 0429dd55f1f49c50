//! Access: who may call. Credentials of platforms and operators, OAuth keys, public keys, refresh tokens and
//! fingerprints; secrets only as keyed hashes.
//!
//! None of it is a fact about money, so it stands in tables beside the log. Keys and tokens begin with the short id of
//! their platform, which leads to its shard: no table is searched by a secret alone.

mod client_secret;
mod fingerprint;
mod forget;
mod judged;
mod oauth;
mod operator;
mod pin;
mod platform;
mod public_key;
mod refresh;
pub mod scope;
#[cfg(feature = "testing")]
mod testing;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

pub use client_secret::{
    ClientSecret, ListedClient, ListedSecret, REMEMBERED, list_clients, revoke_client_secrets,
};
use daybook_domain::PlatformId;
use daybook_pg::Pg;
use daybook_vault::Vault;
pub use judged::Judged;
use lru::LruCache;
pub use oauth::{KEY_LIFETIME_MS, OauthKey, Session};
pub use operator::{
    ListedOperator, OperatorRecord, operator_id_text, operators, parse_operator_id, revoke_operator,
};
pub use pin::{PIN_GUESSES, PIN_PERIOD_MS};
pub use platform::{Client, PlatformRecord};
pub use public_key::{IssuedPublicKey, PUBLIC_KEY_LIFETIME_MS, PublicKey};
pub use refresh::{REFRESH_USES, Refreshed};
pub use scope::{Needs, Scope, Scopes, needs};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

/// The database or the vault is away.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// A statement failed.
    #[error(transparent)]
    Pg(#[from] daybook_pg::Error),
    /// A secret could not be sealed.
    #[error(transparent)]
    Vault(#[from] daybook_vault::Error),
    /// A row does not hold what it should.
    #[error("a row of an access table makes no sense")]
    Corrupt,
}

impl From<tokio_postgres::Error> for AccessError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Pg(error.into())
    }
}

/// Answers who a caller is; cheap to clone.
#[derive(Clone)]
pub struct Access {
    pg: Pg,
    vault: Vault,
    caches: Arc<Caches>,
}

struct Caches {
    platforms: Mutex<Vec<Remembered>>,
    /// Those who read again what was remembered too long: whoever comes behind them finds what they have read.
    readers: Semaphore,
    /// The caller who reads again what is remembered still.
    refresher: Semaphore,
    sessions: Mutex<LruCache<[u8; 32], Session>>,
}

/// A platform as it was read.
struct Remembered {
    platform: Arc<PlatformRecord>,
    /// When the database was asked: what it answered is at least as new.
    asked_at: Instant,
}

impl Remembered {
    fn platform(&self) -> Arc<PlatformRecord> {
        Arc::clone(&self.platform)
    }
}

/// How many read a platform again at a time, and how long one waits for that at most: then the database decides.
const READERS: usize = 4;
const TURN: Duration = Duration::from_secs(1);

/// How many sessions are remembered between two calls.
const SESSIONS: std::num::NonZeroUsize = std::num::NonZeroUsize::new(100_000).unwrap();

impl Access {
    /// Access over the tables in `pg`, with the hash keys of `vault`.
    #[must_use]
    pub fn new(pg: Pg, vault: Vault) -> Self {
        let caches = Caches {
            platforms: Mutex::new(Vec::new()),
            readers: Semaphore::new(READERS),
            refresher: Semaphore::new(1),
            sessions: Mutex::new(LruCache::new(SESSIONS)),
        };
        Self { pg, vault, caches: Arc::new(caches) }
    }

    /// A turn to read a platform again; none if it did not come in time.
    async fn reader(&self) -> Option<SemaphorePermit<'_>> {
        // It is never closed.
        timeout(TURN, self.caches.readers.acquire()).await.ok()?.ok()
    }

    /// The database that all of it is in.
    pub(crate) fn pg(&self) -> &Pg {
        &self.pg
    }

    /// The platform with this id, if there is one. Its secrets may be those of long ago.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is away.
    pub async fn platform(&self, id: PlatformId) -> Result<Option<Arc<PlatformRecord>>, AccessError> {
        self.find_platform(platform::By::Id(id)).await
    }
}

/// A lock that a panic elsewhere left behind still guards good data: caches hold whole values only.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
