//! Shards of a database: their list, and the addition of one.

use daybook_pg::{Pg, Role, Transaction};
use uuid::Uuid;

use super::PostgresLog;
use crate::{Error, Shard};

/// Maximum number of shards of a ledger.
pub const MAX_SHARDS: Shard = 64;

impl PostgresLog {
    /// Returns the shards in the database, in order. There is at least one.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`]; [`Error::Corrupt`] if there is none, because a migration adds the first.
    pub async fn shards(&self) -> Result<Vec<Shard>, Error> {
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/list_shards.sql")).await?;
        let rows = client.query(&statement, &[]).await?;
        let shards: Vec<Shard> = rows.iter().map(|row| row.try_get("shard")).collect::<Result<_, _>>()?;
        if shards.is_empty() {
            return Err(Error::Corrupt { position: 0, what: "the table of shards has no row".to_owned() });
        }
        Ok(shards)
    }
}

/// Adds a shard with the log `log_id` to the database, and returns its number; none if there are [`MAX_SHARDS`]. The
/// number is final. Appends to other shards go on.
///
/// # Errors
///
/// [`daybook_pg::Error`] if the database is unavailable, or the login may not act as the owner.
pub async fn add_shard(pg: &Pg, log_id: Uuid) -> Result<Option<Shard>, daybook_pg::Error> {
    let work = async |tx: &Transaction<'_>| {
        tx.batch_execute(include_str!("sql/lock_shards.sql")).await?;
        let statement = tx.prepare_cached(include_str!("sql/add_shard.sql")).await?;
        let Some(row) = tx.query_opt(&statement, &[&log_id, &MAX_SHARDS]).await? else { return Ok(None) };
        let shard: Shard = row.try_get("shard")?;
        let statement = tx.prepare_cached(include_str!("sql/add_duty.sql")).await?;
        tx.execute(&statement, &[&shard]).await?;
        Ok::<_, daybook_pg::Error>(Some(shard))
    };
    pg.acting_as(Role::Owner).tx("log.add_shard", work).await
}
