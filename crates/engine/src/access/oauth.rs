//! OAuth keys: 256 random bits behind the platform's short id, valid for two hours. A key is stored as a keyed hash,
//! optionally with the hash of the device to which it is bound (ADR 59).

use std::sync::Arc;

use daybook_domain::{Timestamp, UserId};
use daybook_pg::types::TimestampMs;
use daybook_vault::{Purpose, ct_eq};
use uuid::Uuid;

use super::{Access, AccessError, Client, CredentialCheck, PlatformRecord, Scopes, lock};
use crate::entropy::Entropy;

/// Lifetime of a key in milliseconds: 7200 s (`docs/reference/api.md`, Authentication).
pub const KEY_LIFETIME_MS: i64 = 7_200_000;

/// Batch size, equal to the limit in `purge_oauth_keys.sql`.
const MAX_PURGED_PER_STATEMENT: u64 = 5_000;

/// Prefix of every key, so that secret scanners recognize a leaked one.
const PREFIX: &str = "oauth";

/// A newly issued key, shown once.
#[derive(Clone)]
pub struct OauthKey {
    /// The key itself.
    pub key: String,
    /// Scopes that the key grants.
    pub scopes: Scopes,
    /// Time of expiry.
    pub expires_at: Timestamp,
}

/// The authenticated caller behind an OAuth key.
#[derive(Clone, Debug)]
pub struct Session {
    /// Platform of the caller.
    pub platform: Arc<PlatformRecord>,
    /// Number of the client secret under which the key was issued.
    pub secret_no: i32,
    /// User on whose behalf the key calls.
    pub user: UserId,
    /// Scopes that the key grants.
    pub scopes: Scopes,
    /// Time of expiry.
    pub expires_at: Timestamp,
    /// Keyed hash of the device to which the key is bound. Without one, any device may use the key.
    pub device: Option<[u8; 32]>,
}

impl Session {
    /// Returns true if the key is valid at `now`: not expired, and its client secret not revoked.
    fn stands_at(&self, now: Timestamp) -> bool {
        self.expires_at > now && self.platform.standing_secret(self.secret_no).is_some()
    }
}

impl Access {
    /// Issues and stores a key for `user`, requested by `client`. If `device` is given, only that device may use the
    /// key.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable.
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
        let pg = self.pg.of(platform.shard).client().await?;
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

    /// Finds the session of `key`. The key becomes invalid when the secret under which it was issued is revoked. An
    /// unknown key costs the same work for every platform it names, existing or not, so timing reveals nothing.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable.
    pub async fn session(&self, key: &str, now: Timestamp) -> Result<CredentialCheck<Session>, AccessError> {
        let Some(short_id) = key.strip_prefix(PREFIX).and_then(|rest| rest.split('_').nth(1)) else {
            return Ok(CredentialCheck::Wrong);
        };
        let hash = self.key_hash(key);
        let session = match self.known_session(&hash).await? {
            Some(session) => Some(session),
            // Boxed: the lookup is rare, and would otherwise enlarge the future of every request.
            None => Box::pin(self.find_session(short_id, hash)).await?,
        };
        Ok(match session {
            Some(session) if session.stands_at(now) => CredentialCheck::Right(session),
            Some(_) => CredentialCheck::Expired,
            None => CredentialCheck::Wrong,
        })
    }

    /// Returns a cached session, with its platform as [`Access::current_platform`] returns it.
    async fn known_session(&self, hash: &[u8; 32]) -> Result<Option<Session>, AccessError> {
        let cached = lock(&self.caches.sessions).get(hash).cloned();
        let Some(session) = cached else { return Ok(None) };
        let platform = self.current_platform(session.platform.id).await?;
        Ok(platform.map(|platform| Session { platform, ..session }))
    }

    async fn find_session(&self, short_id: &str, hash: [u8; 32]) -> Result<Option<Session>, AccessError> {
        // A neighbouring platform, if there is none with this id, so that the key is looked up all the same.
        let Some(platform) = self.short_id_or_neighbour(short_id).await? else { return Ok(None) };
        let client = self.pg.of(platform.shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/find_oauth_key.sql")).await?;
        let row = client.query_opt(&statement, &[&platform.shard, &hash.as_slice()]).await?;
        let Some(row) = row else { return Ok(None) };
        let device: Option<&[u8]> = row.try_get("fingerprint")?;
        let session = Session {
            user: UserId::from(row.try_get::<_, Uuid>("user_id")?),
            scopes: Scopes::ALL.of_bits(row.try_get("scopes")?),
            expires_at: Timestamp::from_ms(row.try_get::<_, TimestampMs>("expires_at")?.0),
            device: device.map(|hash| hash.try_into().map_err(|_| AccessError::Corrupt)).transpose()?,
            secret_no: row.try_get("secret_no")?,
            platform,
        };
        lock(&self.caches.sessions).put(hash, session.clone());
        Ok(Some(session))
    }

    /// Returns true if the device `fingerprint` may use this session's key. `fingerprint` is empty if the call names
    /// none.
    #[must_use]
    pub fn is_from(&self, session: &Session, fingerprint: &str) -> bool {
        let is_it = |device: [u8; 32]| ct_eq(&device, &self.fingerprint_hash(session.user, fingerprint));
        session.device.is_none_or(is_it)
    }

    /// Revokes a key.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable.
    pub async fn end_key(&self, session: &Session, key: &str) -> Result<(), AccessError> {
        let hash = self.key_hash(key);
        lock(&self.caches.sessions).pop(&hash);
        let client = self.pg.of(session.platform.shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/delete_oauth_key.sql")).await?;
        client.execute(&statement, &[&session.platform.shard, &hash.as_slice()]).await?;
        Ok(())
    }

    pub(super) fn key_hash(&self, key: &str) -> [u8; 32] {
        self.vault.mac(Purpose::OauthKey, &[key.as_bytes()])
    }

    /// Deletes expired keys, 5,000 per statement, and returns their number.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable.
    pub async fn purge_keys(&self, shard: daybook_log::Shard, now: Timestamp) -> Result<u64, AccessError> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/purge_oauth_keys.sql")).await?;
        let mut forgotten = 0;
        loop {
            let count = client.execute(&statement, &[&shard, &TimestampMs(now.ms())]).await?;
            forgotten += count;
            if count < MAX_PURGED_PER_STATEMENT {
                return Ok(forgotten);
            }
        }
    }
}
