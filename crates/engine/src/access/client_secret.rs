//! Client secrets: the secret halves of a platform's credentials. Several secrets are valid during a rotation. Each can
//! be revoked, together with everything issued under it (ADR 70).
//!
//! A process caches platforms and their secrets for at most [`PLATFORM_CACHE_LIFETIME`]. A revoked secret may still be
//! accepted, or used to sign, for that long.

use std::sync::Arc;
use std::time::Duration;

use daybook_domain::{PlatformId, Timestamp, UserId};
use daybook_pg::types::TimestampMs;
use daybook_pg::{Pg, Transaction};
use daybook_vault::ct_eq;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::{Access, AccessError, PlatformRecord};
use crate::entropy::Entropy;

/// Maximum age of a cached platform and its secrets, 5 s.
pub const PLATFORM_CACHE_LIFETIME: Duration = Duration::from_secs(5);
/// Age after which a cached platform is read again, 1 s. It stays in use if the database does not answer.
pub(super) const PLATFORM_REFRESH_AFTER: Duration = Duration::from_secs(1);

/// A client secret, as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientSecret {
    /// Number of the secret within its platform, from 1.
    pub number: i32,
    /// Keyed hash of the client id and the secret.
    pub hash: [u8; 32],
    /// The sealed secret; none if the platform was created before secrets were stored.
    pub sealed: Option<Vec<u8>>,
    /// Time at which the secret expires, once another secret replaces it.
    pub good_until: Option<Timestamp>,
    /// Time of revocation, if the secret was revoked.
    pub revoked_at: Option<Timestamp>,
}

impl ClientSecret {
    /// Returns true if the secret is valid at `now`: neither expired nor revoked.
    #[must_use]
    pub fn is_good(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.good_until.is_none_or(|until| now < until)
    }

    /// Compares `hash` with this secret's hash in constant time.
    pub(super) fn has(&self, hash: &[u8]) -> bool {
        ct_eq(&self.hash, hash)
    }

    /// Reads the secrets from a platform's row, in order of their numbers.
    pub(super) fn of_row(row: &Row) -> Result<Vec<Self>, AccessError> {
        let moments = |name| {
            let read: Vec<Option<TimestampMs>> = row.try_get(name)?;
            Ok::<_, AccessError>(read.into_iter().map(|at| at.map(|at| Timestamp::from_ms(at.0))))
        };
        let numbers: Vec<i32> = row.try_get("secret_nos")?;
        let hashes: Vec<Vec<u8>> = row.try_get("secret_hashes")?;
        let sealed: Vec<Option<Vec<u8>>> = row.try_get("sealed_secrets")?;
        let ends = moments("good_untils")?.zip(moments("revoked_ats")?);
        let parts = numbers.into_iter().zip(hashes).zip(sealed).zip(ends);
        let secret = |(((number, hash), sealed), (good_until, revoked_at)): (((_, Vec<u8>), _), _)| {
            let hash = hash.try_into().map_err(|_| AccessError::Corrupt)?;
            Ok(Self { number, hash, sealed, good_until, revoked_at })
        };
        parts.map(secret).collect()
    }
}

/// A platform in the list of all platforms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedClient {
    /// Name of the company.
    pub name: String,
    /// Public half of the platform's credentials.
    pub client_id: String,
    /// True for a sandbox platform, for which banks and identity checks are simulated.
    pub sandbox: bool,
    /// The platform's own user.
    pub user: UserId,
    /// Time of creation.
    pub created_at: Timestamp,
    /// The platform's secrets, in order of their numbers.
    pub secrets: Vec<ListedSecret>,
    platform: PlatformId,
}

/// The public data of a secret in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedSecret {
    /// Number of the secret within its platform, from 1.
    pub number: i32,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time at which the secret expires, once another secret replaces it.
    pub good_until: Option<Timestamp>,
    /// Time of revocation, if the secret was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// Lists all platforms in order of creation with all their secrets, including expired and revoked ones.
///
/// # Errors
///
/// [`AccessError`] if the database is unavailable.
pub async fn list_clients(pg: &Pg) -> Result<Vec<ListedClient>, AccessError> {
    let client = pg.client().await?;
    let statement = client.prepare_cached(include_str!("sql/list_clients.sql")).await?;
    let mut clients: Vec<ListedClient> = vec![];
    for row in client.query(&statement, &[]).await? {
        let moment = |name| Ok::<_, AccessError>(Timestamp::from_ms(row.try_get::<_, TimestampMs>(name)?.0));
        let end = |name| {
            let at: Option<TimestampMs> = row.try_get(name)?;
            Ok::<_, AccessError>(at.map(|at| Timestamp::from_ms(at.0)))
        };
        let secret = ListedSecret {
            number: row.try_get("secret_no")?,
            created_at: moment("secret_created_at")?,
            good_until: end("good_until")?,
            revoked_at: end("revoked_at")?,
        };
        let platform = PlatformId::from(row.try_get::<_, Uuid>("platform")?);
        match clients.last_mut().filter(|client| client.platform == platform) {
            Some(client) => client.secrets.push(secret),
            None => clients.push(ListedClient {
                name: row.try_get("name")?,
                client_id: row.try_get("client_id")?,
                sandbox: row.try_get("sandbox")?,
                user: UserId::from(row.try_get::<_, Uuid>("user_id")?),
                created_at: moment("created_at")?,
                secrets: vec![secret],
                platform,
            }),
        }
    }
    Ok(clients)
}

/// Revokes one secret of a client, or all of them if `number` is none, with everything issued under them. Returns the
/// numbers of the secrets concerned; an empty list means that there is no such client or secret. A secret that was
/// revoked before keeps its first time of revocation.
///
/// Every process applies the change after [`PLATFORM_CACHE_LIFETIME`] at the latest.
///
/// # Errors
///
/// [`AccessError`] if the database is unavailable.
pub async fn revoke_client_secrets(
    pg: &Pg,
    client_id: &str,
    number: Option<i32>,
    now: Timestamp,
) -> Result<Vec<i32>, AccessError> {
    let client = pg.client().await?;
    let statement = client.prepare_cached(include_str!("sql/revoke_client_secrets.sql")).await?;
    let rows = client.query(&statement, &[&client_id, &number, &TimestampMs(now.ms())]).await?;
    let mut numbers = rows.iter().map(|row| row.try_get(0)).collect::<Result<Vec<i32>, _>>()?;
    numbers.sort_unstable();
    Ok(numbers)
}

impl Access {
    /// Returns all platforms in order of creation.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable.
    pub async fn platforms(&self) -> Result<Vec<Arc<PlatformRecord>>, AccessError> {
        let mut platforms = vec![];
        for listed in list_clients(self.pg()).await? {
            platforms.extend(self.platform(listed.platform).await?);
        }
        Ok(platforms)
    }

    /// Stores a further `secret` of a client, valid from now on, and returns its number. The client's other secrets
    /// expire at `until`, unless they expire before that. Returns none if there is no such client.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable.
    pub async fn rotate_client_secret(
        &self,
        client_id: &str,
        secret: &str,
        until: Timestamp,
        now: Timestamp,
        entropy: Entropy,
    ) -> Result<Option<i32>, AccessError> {
        let sealed = self.vault.seal_client_secret(client_id, secret, &move |bytes| entropy.fill(bytes))?;
        let hash = self.secret_hash(client_id, secret);
        let work = async |tx: &Transaction<'_>| {
            let statement = tx.prepare_cached(include_str!("sql/lock_client.sql")).await?;
            let Some(row) = tx.query_opt(&statement, &[&client_id]).await? else { return Ok(None) };
            let platform: Uuid = row.try_get(0)?;
            let statement = tx.prepare_cached(include_str!("sql/insert_client_secret.sql")).await?;
            let made = [&platform as &(dyn ToSql + Sync), &hash.as_slice(), &sealed, &TimestampMs(now.ms())];
            let number: i32 = tx.query_one(&statement, &made).await?.try_get(0)?;
            let statement = tx.prepare_cached(include_str!("sql/end_client_secrets.sql")).await?;
            tx.execute(&statement, &[&platform, &number, &TimestampMs(until.ms())]).await?;
            Ok::<_, AccessError>(Some(number))
        };
        self.pg.tx("access.rotate", work).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_expires_or_is_revoked() {
        let at = Timestamp::from_ms;
        let secret = |good_until, revoked_at| ClientSecret {
            number: 1,
            hash: [1; 32],
            sealed: None,
            good_until,
            revoked_at,
        };
        assert!(secret(None, None).is_good(at(10)));
        assert!(secret(Some(at(11)), None).is_good(at(10)));
        assert!(!secret(Some(at(10)), None).is_good(at(10)));
        assert!(!secret(None, Some(at(10))).is_good(at(10)));
        assert!(!secret(None, Some(at(11))).is_good(at(10)), "another process's clock may be ahead");
    }
}
