//! Platforms and their client credentials.

use std::sync::Arc;

use daybook_domain::{NodeId, PlatformId, Timestamp, UserId};
use daybook_log::Shard;
use daybook_pg::types::TimestampMs;
use daybook_vault::{Purpose, ct_eq};
use tokio_postgres::Row;
use uuid::Uuid;

use super::{Access, AccessError, lock};
use crate::secret::Secret;

/// A platform as its row tells it; everything but the name is chosen once.
#[derive(Clone, Debug)]
pub struct PlatformRecord {
    /// Its id.
    pub id: PlatformId,
    /// Where all of its streams live.
    pub shard: Shard,
    /// Begins each of its keys and tokens.
    pub short_id: String,
    /// The company's name.
    pub name: String,
    /// Public half of its credentials.
    pub client_id: String,
    /// Keyed hash of the secret half.
    pub secret_hash: Vec<u8>,
    /// The secret half, sealed; none if the platform was made before it was kept.
    pub sealed_secret: Option<Vec<u8>>,
    /// Whether banks and identity checks are simulated.
    pub sandbox: bool,
    /// Its own user.
    pub user: UserId,
    /// That user's reserve.
    pub reserve: NodeId,
    /// When it was made.
    pub created_at: Timestamp,
}

/// What a platform is looked up by.
pub(super) enum By<'a> {
    Id(PlatformId),
    ClientId(&'a str),
}

impl Access {
    /// The platform with these credentials; none if they are wrong. Who shows a wrong secret waits for the database, as
    /// whoever shows an unknown client does, and as much is read: how long an answer takes does not tell who is a client.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is away.
    pub async fn authenticate(
        &self,
        client_id: &str,
        secret: &str,
    ) -> Result<Option<Arc<PlatformRecord>>, AccessError> {
        let hash = self.secret_hash(client_id, secret);
        // Of this client, and with this secret: the hash is of both.
        let is_right = |platform: &PlatformRecord| ct_eq(&hash, &platform.secret_hash);
        let known = self.known_platform(&By::ClientId(client_id));
        if let Some(known) = known.filter(|known| is_right(known)) {
            return Ok(Some(known));
        }
        let stored = Box::pin(self.client_or_neighbour(client_id)).await?;
        Ok(stored.filter(is_right).map(|platform| self.keep(platform)))
    }

    /// The platform with this client id, or one beside it; none if there is none at all.
    async fn client_or_neighbour(&self, client_id: &str) -> Result<Option<PlatformRecord>, AccessError> {
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/find_client.sql")).await?;
        client.query_opt(&statement, &[&client_id]).await?.map(|row| read(&row)).transpose()
    }

    /// Keyed hash of a client's secret.
    pub(crate) fn secret_hash(&self, client_id: &str, secret: &str) -> [u8; 32] {
        self.vault.mac(Purpose::ClientSecret, &[client_id.as_bytes(), secret.as_bytes()])
    }

    /// The secret half of a platform's credentials, for what is signed with it; none if the platform was made before it
    /// was kept.
    ///
    /// # Errors
    ///
    /// [`AccessError::Corrupt`] if what is stored is not this client's.
    pub fn client_secret(&self, platform: &PlatformRecord) -> Result<Option<Secret>, AccessError> {
        let Some(sealed) = &platform.sealed_secret else { return Ok(None) };
        let opened = self.vault.open_client_secret(&platform.client_id, sealed);
        let text = opened.ok().and_then(|bytes| String::from_utf8(bytes).ok());
        text.map(Secret::new).map(Some).ok_or(AccessError::Corrupt)
    }

    /// The platform with this client id, whatever the secret.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is away.
    pub async fn platform_of_client(
        &self,
        client_id: &str,
    ) -> Result<Option<Arc<PlatformRecord>>, AccessError> {
        self.find_platform(By::ClientId(client_id)).await
    }

    pub(super) async fn find_platform(&self, by: By<'_>) -> Result<Option<Arc<PlatformRecord>>, AccessError> {
        match self.known_platform(&by) {
            Some(known) => Ok(Some(known)),
            None => Box::pin(self.stored_platform(by)).await,
        }
    }

    /// A platform that was read before.
    fn known_platform(&self, by: &By<'_>) -> Option<Arc<PlatformRecord>> {
        let is_it = |platform: &PlatformRecord| match *by {
            By::Id(id) => platform.id == id,
            By::ClientId(client_id) => platform.client_id == client_id,
        };
        self.known(is_it)
    }

    /// A platform that was read before, and is the one.
    pub(super) fn known(&self, is_it: impl Fn(&PlatformRecord) -> bool) -> Option<Arc<PlatformRecord>> {
        lock(&self.caches.platforms).iter().find(|platform| is_it(platform)).cloned()
    }

    /// A platform as its row tells it.
    async fn stored_platform(&self, by: By<'_>) -> Result<Option<Arc<PlatformRecord>>, AccessError> {
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/find_platform.sql")).await?;
        let (id, client_id) = match by {
            By::Id(id) => (Some(Uuid::from_u128(id.as_u128())), None),
            By::ClientId(client_id) => (None, Some(client_id)),
        };
        let row = client.query_opt(&statement, &[&id, &client_id]).await?;
        Ok(row.map(|row| read(&row)).transpose()?.map(|platform| self.keep(platform)))
    }

    /// Keeps a platform in memory; one that is there already stays, unless its secret is another since.
    pub(super) fn keep(&self, platform: PlatformRecord) -> Arc<PlatformRecord> {
        let mut platforms = lock(&self.caches.platforms);
        let known = platforms.iter_mut().find(|known| known.id == platform.id);
        match known {
            Some(known) if ct_eq(&known.secret_hash, &platform.secret_hash) => Arc::clone(known),
            Some(known) => {
                *known = Arc::new(platform);
                Arc::clone(known)
            }
            None => {
                let platform = Arc::new(platform);
                platforms.push(Arc::clone(&platform));
                platform
            }
        }
    }

    /// The platform with this short id, or one beside it, as its row tells it; none if there is none at all.
    pub(super) async fn short_id_or_neighbour(
        &self,
        short_id: &str,
    ) -> Result<Option<PlatformRecord>, AccessError> {
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/find_short_id.sql")).await?;
        client.query_opt(&statement, &[&short_id]).await?.map(|row| read(&row)).transpose()
    }

    /// Stores a platform; an existing one with the same client id wins. Answers what is stored.
    pub(crate) async fn store_platform(
        &self,
        new: &PlatformRecord,
    ) -> Result<Arc<PlatformRecord>, AccessError> {
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/insert_platform.sql")).await?;
        client
            .execute(
                &statement,
                &[
                    &Uuid::from_u128(new.id.as_u128()),
                    &new.shard,
                    &new.short_id,
                    &new.name,
                    &new.client_id,
                    &new.secret_hash,
                    &new.sealed_secret,
                    &new.sandbox,
                    &Uuid::from_u128(new.user.as_u128()),
                    &Uuid::from_u128(new.reserve.as_u128()),
                    &TimestampMs(new.created_at.ms()),
                ],
            )
            .await?;
        self.find_platform(By::ClientId(&new.client_id)).await?.ok_or(AccessError::Corrupt)
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
        secret_hash: row.try_get("secret_hash")?,
        sealed_secret: row.try_get("sealed_secret")?,
        sandbox: row.try_get("sandbox")?,
        user: UserId::from_u128(id("user_id")?),
        reserve: NodeId::from_u128(id("reserve_id")?),
        created_at: Timestamp::from_ms(row.try_get::<_, TimestampMs>("created_at")?.0),
    })
}
