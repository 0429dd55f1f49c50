//! Shards of a ledger: where they are, and the addition of one.
//!
//! The server of a shard is configuration, not data: a shard that no range names is home. The row of a shard is on its
//! server alone, except that the first migration adds one of shard 1 to every database.

use daybook_pg::{Client, Pg, Placement, Role, Transaction};
use uuid::Uuid;

use super::PostgresLog;
use crate::{Error, Shard};

/// Maximum number of shards of a ledger.
pub const MAX_SHARDS: Shard = 64;

/// Reason for which shards are not where a process looks for them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misplaced {
    /// A shard has events on a server on which this process does not look for it: another process may append there.
    #[error("shard {shard} has events on the server {server}, where --shard-url does not place it")]
    Elsewhere {
        /// The shard.
        shard: Shard,
        /// Range of the server, or home.
        server: String,
    },
    /// No server that this process knows has the shard.
    #[error("shard {0} has platforms, and no server of --database-url and --shard-url has it")]
    Nowhere(Shard),
}

impl PostgresLog {
    /// Returns the shards of the ledger, in order. There is at least one.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] if one of the servers is; [`Error::Corrupt`] if there is no shard, because a migration adds
    /// the first.
    pub async fn shards(&self) -> Result<Vec<Shard>, Error> {
        let mut shards = vec![];
        for server in self.pg.servers() {
            shards.extend(shards_on(&server).await?.0);
        }
        shards.sort_unstable();
        if shards.is_empty() {
            return Err(Error::Corrupt { position: 0, what: "the table of shards has no row".to_owned() });
        }
        Ok(shards)
    }

    /// Returns the servers of the log, home first.
    pub fn servers(&self) -> impl Iterator<Item = Pg> + '_ {
        self.pg.servers()
    }
}

/// Returns the shards on a server, in order, and the reason if it has events of a shard that is placed elsewhere.
///
/// # Errors
///
/// [`Error::Unavailable`].
pub async fn shards_on(server: &Pg) -> Result<(Vec<Shard>, Option<Misplaced>), Error> {
    let rows = rows_on(&server.client().await?).await?;
    let placement: Placement = server.placement();
    let stray = rows.iter().find(|(shard, has_events)| *has_events && !placement.has(*shard));
    let stray = stray.map(|(shard, _)| Misplaced::Elsewhere { shard: *shard, server: placement.to_string() });
    let here = rows.into_iter().map(|(shard, _)| shard).filter(|shard| placement.has(*shard));
    Ok((here.collect(), stray))
}

async fn rows_on(client: &Client) -> Result<Vec<(Shard, bool)>, Error> {
    let statement = client.prepare_cached(include_str!("sql/list_shards.sql")).await?;
    let rows = client.query(&statement, &[]).await?;
    rows.iter().map(|row| Ok((row.try_get("shard")?, row.try_get("has_events")?))).collect()
}

/// Adds a shard with the log `log_id` to its server, and returns its number; none if there are [`MAX_SHARDS`]. The number
/// is final. Appends to other shards go on.
///
/// # Errors
///
/// [`Error`] if a server is unavailable, or the login may not act as the owner.
pub async fn add_shard(pg: &Pg, log_id: Uuid) -> Result<Option<Shard>, Error> {
    let owner = pg.acting_as(Role::Owner);
    // The lock at home keeps others from choosing the same number, also for a shard on another server.
    let work = async |tx: &Transaction<'_>| {
        tx.batch_execute(include_str!("sql/lock_shards.sql")).await?;
        let known = PostgresLog::new(owner.clone()).shards().await?;
        let shard = known.last().map_or(1, |last| last + 1);
        if shard > MAX_SHARDS {
            return Ok(None);
        }
        if owner.home().placement().has(shard) {
            insert(tx, shard, log_id).await?;
        } else {
            owner.of(shard).tx("log.add_shard", async |tx| insert(tx, shard, log_id).await).await?;
        }
        Ok::<_, Error>(Some(shard))
    };
    owner.home().tx("log.choose_shard", work).await
}

async fn insert(tx: &Transaction<'_>, shard: Shard, log_id: Uuid) -> Result<(), Error> {
    let statement = tx.prepare_cached(include_str!("sql/add_shard.sql")).await?;
    tx.execute(&statement, &[&shard, &log_id]).await?;
    let statement = tx.prepare_cached(include_str!("sql/add_duty.sql")).await?;
    tx.execute(&statement, &[&shard]).await?;
    Ok(())
}
