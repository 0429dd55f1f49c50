//! Platforms and their client credentials.

use std::sync::Arc;
use std::time::{Duration, Instant};

use daybook_domain::{NodeId, PlatformId, Timestamp, UserId};
use daybook_log::Shard;
use daybook_pg::types::TimestampMs;
use daybook_vault::Purpose;
use tokio_postgres::Row;
use uuid::Uuid;

use super::client_secret::PLATFORM_REFRESH_AFTER;
use super::{
    Access, AccessError, CachedPlatform, ClientSecret, CredentialCheck, PLATFORM_CACHE_LIFETIME, lock,
};
use crate::secret::Secret;

/// A platform, as stored. Everything but its secrets is immutable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlatformRecord {
    /// Id of the platform.
    pub id: PlatformId,
    /// Shard of all of the platform's streams.
    pub shard: Shard,
    /// Short id with which the platform's keys and tokens begin.
    pub short_id: String,
    /// Name of the company.
    pub name: String,
    /// Public half of the platform's credentials.
    pub client_id: String,
    /// The secret halves, in order of their numbers, including expired and revoked ones.
    pub secrets: Vec<ClientSecret>,
    /// True for a sandbox platform, for which banks and identity checks are simulated.
    pub sandbox: bool,
    /// The platform's own user.
    pub user: UserId,
    /// Reserve node of the platform's own user.
    pub reserve: NodeId,
    /// Time of creation.
    pub created_at: Timestamp,
}

impl PlatformRecord {
    /// Returns the secret with this number, unless it is revoked or does not exist.
    pub(super) fn standing_secret(&self, number: i32) -> Option<&ClientSecret> {
        let stands = |one: &&ClientSecret| one.number == number && one.revoked_at.is_none();
        self.secrets.iter().find(stands)
    }
}

/// An authenticated platform with the secret that it used. Everything issued to it becomes invalid when that secret is
/// revoked.
#[derive(Clone, Debug)]
pub struct Client {
    /// The platform.
    pub platform: Arc<PlatformRecord>,
    /// Number of the secret.
    pub secret_no: i32,
    /// Keyed hash of the secret.
    pub(super) secret_hash: [u8; 32],
}

impl Client {
    pub(super) fn new(platform: Arc<PlatformRecord>, secret: &ClientSecret) -> Self {
        let (secret_no, secret_hash) = (secret.number, secret.hash);
        Self { platform, secret_no, secret_hash }
    }
}

/// Lookup key of a platform.
#[derive(Clone, Copy)]
pub(super) enum By<'a> {
    Id(PlatformId),
    ClientId(&'a str),
}

impl By<'_> {
    fn is(&self, platform: &PlatformRecord) -> bool {
        match *self {
            Self::Id(id) => platform.id == id,
            Self::ClientId(client_id) => platform.client_id == client_id,
        }
    }
}

impl Access {
    /// Authenticates a platform by its credentials. A wrong secret costs a database query, as an unknown client does,
    /// and reads as much: the response time does not reveal which clients exist.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable.
    pub async fn authenticate(
        &self,
        client_id: &str,
        secret: &str,
        now: Timestamp,
    ) -> Result<CredentialCheck<Client>, AccessError> {
        // The hash covers both client id and secret, so one comparison checks both.
        let hash = self.secret_hash(client_id, secret);
        let by = By::ClientId(client_id);
        let unless_wrong = |known: Option<Arc<PlatformRecord>>| {
            let judged = known.map(|known| judge(&known, &hash, now));
            judged.filter(|judged| !matches!(judged, CredentialCheck::Wrong))
        };
        // Only a right secret refreshes the cache: a wrong secret must cost what an unknown client costs.
        if unless_wrong(self.known(by, PLATFORM_CACHE_LIFETIME)).is_some()
            && let Some(judged) = unless_wrong(self.refreshed(by).await)
        {
            return Ok(judged);
        }
        let turn = self.reader().await;
        if let Some(judged) = unless_wrong(self.known(by, PLATFORM_CACHE_LIFETIME)) {
            return Ok(judged);
        }
        let stored = Box::pin(self.client_or_neighbour(client_id)).await?;
        drop(turn);
        Ok(stored.map_or(CredentialCheck::Wrong, |stored| judge(&stored, &hash, now)))
    }

    /// Reads the platform with this client id, or a neighbouring one so that the work is the same. Returns none only if
    /// there is no platform at all.
    async fn client_or_neighbour(&self, client_id: &str) -> Result<Option<Arc<PlatformRecord>>, AccessError> {
        let asked_at = Instant::now();
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/find_client.sql")).await?;
        let row = client.query_opt(&statement, &[&client_id]).await?;
        row.map(|row| Ok(self.keep(read(&row)?, asked_at))).transpose()
    }

    /// Computes the keyed hash of a client's secret.
    pub(crate) fn secret_hash(&self, client_id: &str, secret: &str) -> [u8; 32] {
        self.vault.mac(Purpose::ClientSecret, &[client_id.as_bytes(), secret.as_bytes()])
    }

    /// Returns the secret that signs calls to a platform's subscriptions at `now`: the oldest valid one, because
    /// receivers have known it for longest. Returns none if no secret is valid, or if the platform was created before
    /// secrets were stored.
    ///
    /// # Errors
    ///
    /// [`AccessError::Corrupt`] if the stored secret is not this client's.
    pub fn client_secret(
        &self,
        platform: &PlatformRecord,
        now: Timestamp,
    ) -> Result<Option<Secret>, AccessError> {
        let oldest = platform.secrets.iter().find(|secret| secret.is_good(now));
        let Some(sealed) = oldest.and_then(|secret| secret.sealed.as_ref()) else { return Ok(None) };
        let opened = self.vault.open_client_secret(&platform.client_id, sealed);
        let text = opened.ok().and_then(|bytes| String::from_utf8(bytes).ok());
        text.map(Secret::new).map(Some).ok_or(AccessError::Corrupt)
    }

    /// Returns the platform with this client id, without checking a secret.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable.
    pub async fn platform_of_client(
        &self,
        client_id: &str,
    ) -> Result<Option<Arc<PlatformRecord>>, AccessError> {
        self.find_platform(By::ClientId(client_id)).await
    }

    /// Returns a platform from the cache, or else from the database. Its cached secrets may be as old as the process;
    /// the rest never changes.
    pub(super) async fn find_platform(&self, by: By<'_>) -> Result<Option<Arc<PlatformRecord>>, AccessError> {
        let remembered =
            lock(&self.caches.platforms).iter().find(|it| by.is(&it.platform)).map(CachedPlatform::platform);
        match remembered {
            Some(known) => Ok(Some(known)),
            None => Box::pin(self.stored_platform(by)).await,
        }
    }

    /// Returns the platform with this id, if there is one. Its secrets are at most [`PLATFORM_CACHE_LIFETIME`] old.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable.
    pub async fn current_platform(&self, id: PlatformId) -> Result<Option<Arc<PlatformRecord>>, AccessError> {
        let by = By::Id(id);
        if let Some(known) = self.refreshed(by).await {
            return Ok(Some(known));
        }
        let _turn = self.reader().await;
        match self.known(by, PLATFORM_CACHE_LIFETIME) {
            Some(known) => Ok(Some(known)),
            None => Box::pin(self.stored_platform(by)).await,
        }
    }

    /// Returns a platform that was read within [`PLATFORM_CACHE_LIFETIME`]. Once it is older than
    /// [`PLATFORM_REFRESH_AFTER`], one caller reads it again and the others do not wait. If the database does not
    /// answer, the cached platform is returned.
    async fn refreshed(&self, by: By<'_>) -> Option<Arc<PlatformRecord>> {
        let known = self.known(by, PLATFORM_CACHE_LIFETIME)?;
        if self.known(by, PLATFORM_REFRESH_AFTER).is_some() {
            return Some(known);
        }
        let Ok(_turn) = self.caches.refresher.try_acquire() else { return Some(known) };
        match Box::pin(self.stored_platform(by)).await {
            Ok(Some(read)) => Some(read),
            Ok(None) | Err(_) => self.known(by, PLATFORM_CACHE_LIFETIME),
        }
    }

    /// Returns a cached platform that was read no longer than `within` ago.
    fn known(&self, by: By<'_>, within: Duration) -> Option<Arc<PlatformRecord>> {
        self.known_that(|platform| by.is(platform), within)
    }

    /// Returns a cached platform that satisfies `is_it` and was read no longer than `within` ago.
    pub(super) fn known_that(
        &self,
        is_it: impl Fn(&PlatformRecord) -> bool,
        within: Duration,
    ) -> Option<Arc<PlatformRecord>> {
        let platforms = lock(&self.caches.platforms);
        let found = platforms.iter().find(|known| is_it(&known.platform))?;
        (found.asked_at.elapsed() < within).then(|| found.platform())
    }

    /// Reads a platform from the database.
    async fn stored_platform(&self, by: By<'_>) -> Result<Option<Arc<PlatformRecord>>, AccessError> {
        let asked_at = Instant::now();
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/find_platform.sql")).await?;
        let (id, client_id) = match by {
            By::Id(id) => (Some(Uuid::from(id)), None),
            By::ClientId(client_id) => (None, Some(client_id)),
        };
        let row = client.query_opt(&statement, &[&id, &client_id]).await?;
        row.map(|row| Ok(self.keep(read(&row)?, asked_at))).transpose()
    }

    /// Caches a platform read from the database at `asked_at`, unless a newer one was cached meanwhile. Returns the
    /// newest.
    pub(super) fn keep(&self, platform: PlatformRecord, asked_at: Instant) -> Arc<PlatformRecord> {
        let mut platforms = lock(&self.caches.platforms);
        let Some(known) = platforms.iter_mut().find(|known| known.platform.id == platform.id) else {
            let platform = Arc::new(platform);
            platforms.push(CachedPlatform { platform: Arc::clone(&platform), asked_at });
            return platform;
        };
        if asked_at >= known.asked_at {
            known.asked_at = asked_at;
            if *known.platform != platform {
                known.platform = Arc::new(platform);
            }
        }
        Arc::clone(&known.platform)
    }

    /// Reads the platform with this short id, or a neighbouring one so that the work is the same. Returns none only if
    /// there is no platform at all.
    pub(super) async fn short_id_or_neighbour(
        &self,
        short_id: &str,
    ) -> Result<Option<Arc<PlatformRecord>>, AccessError> {
        let asked_at = Instant::now();
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/find_short_id.sql")).await?;
        let row = client.query_opt(&statement, &[&short_id]).await?;
        row.map(|row| Ok(self.keep(read(&row)?, asked_at))).transpose()
    }

    /// Stores a platform with its first `secret`, unless one with the same client id exists. Returns the stored
    /// platform.
    pub(crate) async fn store_platform(
        &self,
        new: &PlatformRecord,
        secret: &ClientSecret,
    ) -> Result<Arc<PlatformRecord>, AccessError> {
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/insert_platform.sql")).await?;
        client
            .execute(
                &statement,
                &[
                    &Uuid::from(new.id),
                    &new.shard,
                    &new.short_id,
                    &new.name,
                    &new.client_id,
                    &secret.hash.as_slice(),
                    &secret.sealed,
                    &new.sandbox,
                    &Uuid::from(new.user),
                    &Uuid::from(new.reserve),
                    &TimestampMs(new.created_at.ms()),
                ],
            )
            .await?;
        self.find_platform(By::ClientId(&new.client_id)).await?.ok_or(AccessError::Corrupt)
    }
}

/// Checks the secret with this hash at `now`. An expired or revoked secret does not count as a guess.
fn judge(platform: &Arc<PlatformRecord>, hash: &[u8], now: Timestamp) -> CredentialCheck<Client> {
    match platform.secrets.iter().find(|secret| secret.has(hash)) {
        Some(secret) if secret.is_good(now) => {
            CredentialCheck::Right(Client::new(Arc::clone(platform), secret))
        }
        Some(_) => CredentialCheck::Expired,
        None => CredentialCheck::Wrong,
    }
}

pub(super) fn read(row: &Row) -> Result<PlatformRecord, AccessError> {
    let id = |name| Ok::<u128, AccessError>(row.try_get::<_, Uuid>(name)?.as_u128());
    Ok(PlatformRecord {
        id: PlatformId::from_u128(id("platform")?),
        shard: row.try_get("shard")?,
        short_id: row.try_get("short_id")?,
        name: row.try_get("name")?,
        client_id: row.try_get("client_id")?,
        secrets: ClientSecret::of_row(row)?,
        sandbox: row.try_get("sandbox")?,
        user: UserId::from_u128(id("user_id")?),
        reserve: NodeId::from_u128(id("reserve_id")?),
        created_at: Timestamp::from_ms(row.try_get::<_, TimestampMs>("created_at")?.0),
    })
}
