//! Access: authentication of callers. Credentials of platforms and operators, OAuth keys, public keys, refresh tokens
//! and fingerprints. Secrets are stored only as keyed hashes, or sealed.
//!
//! None of this is a fact about money, so it is stored in tables beside the log. Keys and tokens begin with the short
//! id of their platform, which leads to its shard: no table is searched by a secret alone.

mod client_secret;
mod credential_check;
mod fingerprint;
mod forget;
mod oauth;
mod operator;
mod pin;
mod platform;
mod public_key;
mod refresh;
pub mod scope;
mod shards;
#[cfg(feature = "testing")]
mod testing;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

pub use client_secret::{
    ClientSecret, ListedClient, ListedSecret, PLATFORM_CACHE_LIFETIME, list_clients, revoke_client_secrets,
};
pub use credential_check::CredentialCheck;
use daybook_domain::PlatformId;
use daybook_pg::Pg;
use daybook_vault::Vault;
use lru::LruCache;
pub use oauth::{KEY_LIFETIME_MS, OauthKey, Session};
pub use operator::{
    ListedOperator, OperatorRecord, operator_id_text, operators, parse_operator_id, revoke_operator,
};
pub use pin::{MAX_PIN_GUESSES, PIN_PERIOD_MS};
pub use platform::{Client, PlatformRecord};
pub use public_key::{IssuedPublicKey, PUBLIC_KEY_LIFETIME_MS, PublicKey};
pub use refresh::{MAX_REFRESH_USES, RefreshTokenCheck};
pub use scope::{RequiredScope, Scope, Scopes, scopes};
pub use shards::{ShardRoom, set_shard_open, shard_rooms};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

/// Error of the access tables: the database or the vault is unavailable, or a row is corrupt.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// A database statement failed.
    #[error(transparent)]
    Pg(#[from] daybook_pg::Error),
    /// The vault could not seal a secret.
    #[error(transparent)]
    Vault(#[from] daybook_vault::Error),
    /// A row contains an invalid value.
    #[error("a row of an access table makes no sense")]
    Corrupt,
}

impl From<tokio_postgres::Error> for AccessError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Pg(error.into())
    }
}

/// Authenticates callers. Cheap to clone.
#[derive(Clone)]
pub struct Access {
    pg: Pg,
    vault: Vault,
    caches: Arc<Caches>,
}

struct Caches {
    platforms: Mutex<Vec<CachedPlatform>>,
    /// Permits to reload platforms whose cache entry is too old. Callers that wait behind a reader find its result.
    readers: Semaphore,
    /// Permit to refresh a platform whose cache entry is still valid.
    refresher: Semaphore,
    sessions: Mutex<LruCache<[u8; 32], Session>>,
}

/// A cached platform.
struct CachedPlatform {
    platform: Arc<PlatformRecord>,
    /// Time at which the database was asked. The answer is at least as new.
    asked_at: Instant,
}

impl CachedPlatform {
    fn platform(&self) -> Arc<PlatformRecord> {
        Arc::clone(&self.platform)
    }
}

/// Maximum number of concurrent reloads of platforms, and the maximum wait for a permit. After the wait the caller asks
/// the database without a permit.
const MAX_CONCURRENT_PLATFORM_READS: usize = 4;
const PLATFORM_READ_TIMEOUT: Duration = Duration::from_secs(1);

/// Number of sessions cached between calls.
const MAX_CACHED_SESSIONS: std::num::NonZeroUsize = std::num::NonZeroUsize::new(100_000).unwrap();

impl Access {
    /// Creates access over the tables in `pg`, with the hash keys of `vault`.
    #[must_use]
    pub fn new(pg: Pg, vault: Vault) -> Self {
        let caches = Caches {
            platforms: Mutex::new(Vec::new()),
            readers: Semaphore::new(MAX_CONCURRENT_PLATFORM_READS),
            refresher: Semaphore::new(1),
            sessions: Mutex::new(LruCache::new(MAX_CACHED_SESSIONS)),
        };
        Self { pg, vault, caches: Arc::new(caches) }
    }

    /// Waits for a permit to reload a platform; returns none after the maximum wait.
    async fn reader(&self) -> Option<SemaphorePermit<'_>> {
        // The semaphore is never closed.
        timeout(PLATFORM_READ_TIMEOUT, self.caches.readers.acquire()).await.ok()?.ok()
    }

    /// The database of the access tables.
    pub(crate) fn pg(&self) -> &Pg {
        &self.pg
    }

    /// Returns the platform with this id, if there is one. Its cached secrets may be out of date.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable.
    pub async fn platform(&self, id: PlatformId) -> Result<Option<Arc<PlatformRecord>>, AccessError> {
        self.find_platform(platform::By::Id(id)).await
    }
}

/// Locks a mutex, even if a thread panicked while holding it: caches hold whole values only, so the data is still good.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
