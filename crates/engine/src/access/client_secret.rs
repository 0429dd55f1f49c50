//! Client secrets: the secret halves of a platform's credentials. Several are good while one takes over from another; each
//! can be revoked, with all that was issued under it (ADR 70).
//!
//! Who judges them, or signs with them, trusts what this process remembers for [`REMEMBERED`], then reads it again: so long a
//! revoked one may still open something.

use std::time::Duration;

use daybook_domain::{PlatformId, Timestamp, UserId};
use daybook_pg::types::TimestampMs;
use daybook_pg::{Pg, Transaction};
use daybook_vault::ct_eq;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::{Access, AccessError};
use crate::entropy::Entropy;

/// The longest time for which a process trusts what it read of platforms and their secrets.
pub const REMEMBERED: Duration = Duration::from_secs(5);
/// The time after which a process reads them again, while the database answers.
pub(super) const FRESH: Duration = Duration::from_secs(1);

/// A secret as its row tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientSecret {
    /// Its number among those of the platform, from 1.
    pub number: i32,
    /// Keyed hash of client id and secret.
    pub hash: [u8; 32],
    /// The secret, sealed; none if the platform was made before it was kept.
    pub sealed: Option<Vec<u8>>,
    /// When it ends, if another takes over from it.
    pub good_until: Option<Timestamp>,
    /// When it was revoked, if it was.
    pub revoked_at: Option<Timestamp>,
}

impl ClientSecret {
    /// Whether it opens something at `now`.
    #[must_use]
    pub fn is_good(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.good_until.is_none_or(|until| now < until)
    }

    /// Whether `hash` is its own, compared in constant time.
    pub(super) fn has(&self, hash: &[u8]) -> bool {
        ct_eq(&self.hash, hash)
    }

    /// The secrets in a row of a platform, in the order of their numbers.
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

/// A platform in the list of all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedClient {
    /// The company's name.
    pub name: String,
    /// Public half of its credentials.
    pub client_id: String,
    /// Whether banks and identity checks are simulated.
    pub sandbox: bool,
    /// Its own user.
    pub user: UserId,
    /// When it was made.
    pub created_at: Timestamp,
    /// Its secrets in the order of their numbers.
    pub secrets: Vec<ListedSecret>,
    platform: PlatformId,
}

/// What there is to tell of a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedSecret {
    /// Its number among those of the platform, from 1.
    pub number: i32,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends, if another takes over from it.
    pub good_until: Option<Timestamp>,
    /// When it was revoked, if it was.
    pub revoked_at: Option<Timestamp>,
}

/// All platforms in the order of their making, with their secrets, those that are good no more too.
///
/// # Errors
///
/// [`AccessError`] if the database is away.
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

/// Revokes a secret of a client, or all of them if no `number` is named, with what was issued under them; answers which.
/// None: there is no such client or secret. Of a secret that is revoked already, the first time counts.
///
/// The change counts in every process after [`REMEMBERED`] at the latest.
///
/// # Errors
///
/// [`AccessError`] if the database is away.
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
    /// Stores a further `secret` of a client, good from now on, and has the others end at `until`, unless they end before
    /// that; answers its number. None: there is no such client.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is away.
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
    fn a_secret_ends_or_is_revoked() {
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
