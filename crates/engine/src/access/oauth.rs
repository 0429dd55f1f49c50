//! OAuth keys: 256 random bits behind the platform's short id, good for two hours, stored as a keyed hash, perhaps with that
//! of the device that each was made for (ADR 59).

use std::sync::Arc;
use std::time::Instant;

use daybook_domain::{Timestamp, UserId};
use daybook_pg::types::TimestampMs;
use daybook_vault::{Purpose, ct_eq};
use uuid::Uuid;

use super::{Access, AccessError, Client, Judged, PlatformRecord, Scopes, lock, platform};
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
    /// The number of the client secret under which the key was asked for.
    pub secret_no: i32,
    /// The user.
    pub user: UserId,
    /// What the key opens.
    pub scopes: Scopes,
    /// Until when.
    pub expires_at: Timestamp,
    /// Keyed hash of the device that it is good from; none: from any.
    pub device: Option<[u8; 32]>,
}

impl Session {
    /// Whether the key opens something at `now`.
    fn stands_at(&self, now: Timestamp) -> bool {
        self.expires_at > now && self.platform.standing_secret(self.secret_no).is_some()
    }
}

impl Access {
    /// Makes and stores a key for `user` that `client` asks for, good from `device` alone if one is named.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is away.
    pub async fn issue_key(
        &self,
        client: &Client,
        user: UserId,
        scopes: Scopes,
        device: Option<&str>,
        now: Timestamp,
        entropy: Entropy,
    ) -> Result<OauthKey, AccessError> {
        let Client { platform, secret_no, .. } = client;
        let secret = entropy.bytes::<32>();
        let key = format!("{PREFIX}_{}_{}", platform.short_id, hex::encode(secret));
        let expires_at = now.plus_ms(KEY_LIFETIME_MS);
        let pg = self.pg.client().await?;
        let statement = pg.prepare_cached(include_str!("sql/insert_oauth_key.sql")).await?;
        let hash = self.key_hash(&key);
        let device = device.map(|device| self.fingerprint_hash(user, device).to_vec());
        let user = Uuid::from(user);
        let expires_ms = TimestampMs(expires_at.ms());
        let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 7] =
            [&platform.shard, &hash.as_slice(), &user, &scopes.bits(), &expires_ms, &device, secret_no];
        pg.execute(&statement, &parameters).await?;
        Ok(OauthKey { key, scopes, expires_at })
    }

    /// Who calls with `key`. It ends with the secret under which it was asked for, if that is revoked. A key that nobody has costs the same work whatever platform it names, or none.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is away.
    pub async fn session(&self, key: &str, now: Timestamp) -> Result<Judged<Session>, AccessError> {
        let Some(short_id) = key.strip_prefix(PREFIX).and_then(|rest| rest.split('_').nth(1)) else {
            return Ok(Judged::Wrong);
        };
        let hash = self.key_hash(key);
        let session = match self.known_session(&hash).await? {
            Some(session) => Some(session),
            // In a box: rarely needed, and every request would be as large.
            None => Box::pin(self.find_session(short_id, hash)).await?,
        };
        Ok(match session {
            Some(session) if session.stands_at(now) => Judged::Right(session),
            Some(_) => Judged::Expired,
            None => Judged::Wrong,
        })
    }

    /// A session that is remembered, with its platform as it was read just now.
    async fn known_session(&self, hash: &[u8; 32]) -> Result<Option<Session>, AccessError> {
        let cached = lock(&self.caches.sessions).get(hash).cloned();
        let Some(session) = cached else { return Ok(None) };
        let platform = self.current_platform(session.platform.id).await?;
        Ok(platform.map(|platform| Session { platform, ..session }))
    }

    async fn find_session(&self, short_id: &str, hash: [u8; 32]) -> Result<Option<Session>, AccessError> {
        let asked_at = Instant::now();
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/find_oauth_key.sql")).await?;
        let row = client.query_opt(&statement, &[&short_id, &hash.as_slice()]).await?;
        let Some(row) = row else { return Ok(None) };
        let Some(user) = row.try_get::<_, Option<Uuid>>("key_user_id")? else { return Ok(None) };
        let device: Option<&[u8]> = row.try_get("fingerprint")?;
        let session = Session {
            user: UserId::from(user),
            scopes: Scopes::ALL.of_bits(row.try_get("scopes")?),
            expires_at: Timestamp::from_ms(row.try_get::<_, TimestampMs>("expires_at")?.0),
            device: device.map(|hash| hash.try_into().map_err(|_| AccessError::Corrupt)).transpose()?,
            secret_no: row.try_get("secret_no")?,
            platform: self.keep(platform::read(&row)?, asked_at),
        };
        lock(&self.caches.sessions).put(hash, session.clone());
        Ok(Some(session))
    }

    /// Whether a key of this session may be used from the device `fingerprint`, which is empty if none is named.
    #[must_use]
    pub fn is_from(&self, session: &Session, fingerprint: &str) -> bool {
        let is_it = |device: [u8; 32]| ct_eq(&device, &self.fingerprint_hash(session.user, fingerprint));
        session.device.is_none_or(is_it)
    }

    /// Ends a key.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is away.
    pub async fn end_key(&self, session: &Session, key: &str) -> Result<(), AccessError> {
        let hash = self.key_hash(key);
        lock(&self.caches.sessions).pop(&hash);
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/delete_oauth_key.sql")).await?;
        client.execute(&statement, &[&session.platform.shard, &hash.as_slice()]).await?;
        Ok(())
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
