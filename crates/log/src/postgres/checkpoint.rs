//! Checkpoints: signed tree heads that were handed out.

use daybook_pg::types::TimestampMs;

use super::PostgresLog;
use super::rows::bigint;
use crate::{Error, Position, Shard};

/// A checkpoint as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeCheckpoint {
    /// Tree size: number of events that the checkpoint covers.
    pub size: Position,
    /// Text of the signed note.
    pub note: String,
}

impl PostgresLog {
    /// Returns the checkpoints of sizes above `after`, in order, at most `limit`.
    ///
    /// # Errors
    ///
    /// [`Error`] if the database cannot be read.
    pub async fn checkpoints(
        &self,
        shard: Shard,
        after: Position,
        limit: u32,
    ) -> Result<Vec<MadeCheckpoint>, Error> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/read_checkpoints.sql")).await?;
        let rows = client.query(&statement, &[&shard, &bigint(after), &i64::from(limit)]).await?;
        rows.iter().map(made).collect()
    }

    /// Returns the newest checkpoint, if there is one.
    ///
    /// # Errors
    ///
    /// [`Error`] if the database cannot be read.
    pub async fn last_checkpoint(&self, shard: Shard) -> Result<Option<MadeCheckpoint>, Error> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/read_last_checkpoint.sql")).await?;
        client.query_opt(&statement, &[&shard]).await?.as_ref().map(made).transpose()
    }

    /// Stores a checkpoint, unless one of the same size is stored already.
    ///
    /// # Errors
    ///
    /// [`Error`] if the database cannot be written.
    pub async fn keep_checkpoint(
        &self,
        shard: Shard,
        made: &MadeCheckpoint,
        at_ms: i64,
    ) -> Result<(), Error> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/keep_checkpoint.sql")).await?;
        client.execute(&statement, &[&shard, &bigint(made.size), &made.note, &TimestampMs(at_ms)]).await?;
        Ok(())
    }
}

fn made(row: &tokio_postgres::Row) -> Result<MadeCheckpoint, Error> {
    Ok(MadeCheckpoint { size: super::rows::number(row, "size")?, note: row.try_get("note")? })
}
