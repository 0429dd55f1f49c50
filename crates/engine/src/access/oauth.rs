//! OAuth keys: 256 random bits behind the platform's short id, good for two hours, stored as a keyed hash.

use std::sync::Arc;

use daybook_domain::{Timestamp, UserId};
use daybook_pg::types::TimestampMs;
use daybook_vault::Purpose;
use uuid::Uuid;

use super::platform::By;
use super::{Access, AccessError, PlatformRecord, Scopes, lock};
use crate::entropy::Entropy;

/// How long a key is good, in milliseconds: 7200 s (`docs/reference/api.md`, Authentication).
pub const KEY_LIFETIME_MS: i64 = 7_200_000;

/// The limit in `purge_oauth_keys.sql`.
const PURGED_AT_ONCE: u64 = 5_000;

/// Begins every key, so that a leaked one is recognized.
const PREFIX: &str = "oauth";

/// A new key; shown once.
#[derive(Clone)]
pub struct OauthKey {
    /// The key itself.
    pub key: String,
    /// What it opens.
    pub scopes: Scopes,
    /// Until when.
    pub expires_at: Timestamp,
}

/// Who calls with a key.
#[derive(Clone, Debug)]
pub struct Session {
    /// The platform.
    pub platform: Arc<PlatformRecord>,
    /// The user.
    pub user: UserId,
    /// What the key opens.
    pub scopes: Scopes,
    /// Until when.
    pub expires_at: Timestamp,
}

impl Access {
    /// Makes and stores a key for `user`.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is away.
    pub async fn issue_key(
        &self,
        platform: &PlatformRecord,
        user: UserId,
        scopes: Scopes,
        now: Timestamp,
        entropy: Entropy,
    ) -> Result<OauthKey, AccessError> {
        let secret = entropy.bytes::<32>();
        let key = format!("{PREFIX}_{}_{}", platform.short_id, hex::encode(secret));
        let expires_at = now.plus_ms(KEY_LIFETIME_MS);
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/insert_oauth_key.sql")).await?;
        let hash = self.key_hash(&key);
        let user = Uuid::from_u128(user.as_u128());
        let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 5] =
            [&platform.shard, &hash.as_slice(), &user, &scopes.bits(), &TimestampMs(expires_at.ms())];
        client.execute(&statement, &parameters).await?;
        Ok(OauthKey { key, scopes, expires_at })
    }

    /// Who calls with `key`; none if it is unknown or expired.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is away.
    pub async fn session(&self, key: &str, now: Timestamp) -> Result<Option<Session>, AccessError> {
        let Some(short_id) = key.strip_prefix(PREFIX).and_then(|rest| rest.split('_').nth(1)) else {
            return Ok(None);
        };
        let hash = self.key_hash(key);
        let cached = lock(&self.caches.sessions).get(&hash).cloned();
        let session = match cached {
            Some(session) => Some(session),
            // In a box: rarely needed, and every request would be as large.
            None => Box::pin(self.find_session(short_id, hash)).await?,
        };
        Ok(session.filter(|session| session.expires_at > now))
    }

    async fn find_session(&self, short_id: &str, hash: [u8; 32]) -> Result<Option<Session>, AccessError> {
        let Some(platform) = self.find_platform(By::ShortId(short_id)).await? else { return Ok(None) };
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/find_oauth_key.sql")).await?;
        let row = client.query_opt(&statement, &[&platform.shard, &hash.as_slice()]).await?;
        let Some(row) = row else { return Ok(None) };
        let session = Session {
            user: UserId::from_u128(row.try_get::<_, Uuid>("user_id")?.as_u128()),
            scopes: Scopes::ALL.of_bits(row.try_get("scopes")?),
            expires_at: Timestamp::from_ms(row.try_get::<_, TimestampMs>("expires_at")?.0),
            platform,
        };
        lock(&self.caches.sessions).put(hash, session.clone());
        Ok(Some(session))
    }

    pub(super) fn key_hash(&self, key: &str) -> [u8; 32] {
        self.vault.mac(Purpose::OauthKey, &[key.as_bytes()])
    }

    /// Forgets keys that are expired, some thousands in a statement; answers how many.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is away.
    pub async fn purge_keys(&self, shard: daybook_log::Shard, now: Timestamp) -> Result<u64, AccessError> {
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/purge_oauth_keys.sql")).await?;
        let mut forgotten = 0;
        loop {
            let count = client.execute(&statement, &[&shard, &TimestampMs(now.ms())]).await?;
            forgotten += count;
            if count < PURGED_AT_ONCE {
                return Ok(forgotten);
            }
        }
    }
}
