//! The cursor (projection checkpoint): the position that the read models of a shard have reached. All read models share
//! one cursor, so rows that are read together are of the same position.

use std::sync::{Arc, PoisonError, RwLock};

use daybook_log::postgres::Lease;
use daybook_log::{Head, Shard};
use daybook_pg::types::TimestampMs;
use daybook_pg::{Client, Transaction};
use tokio::sync::{Notify, watch};
use tokio_postgres::Statement;

use crate::error::Error;
use crate::store::sql;
use crate::store::version::Tables;

/// Reason for which a cursor does not move.
#[derive(Debug)]
pub struct Trouble {
    /// The error, without its sources.
    pub because: String,
    /// True if the reason passes by itself when database and log are available again.
    pub is_outage: bool,
}

/// State of a shard's cursor, as far as this process knows it.
#[derive(Debug)]
pub(crate) struct CursorWatch {
    position: watch::Sender<u64>,
    /// The active versions; none until they were read from the database.
    tables: RwLock<Option<Arc<Tables>>>,
    /// Reason for which this process does not move the cursor; none if it does.
    trouble: RwLock<Option<Arc<Trouble>>>,
    /// Notified by a reader that waits for the cursor: a runner that gathers events for a fuller page stops waiting.
    pub(crate) wake: Notify,
}

impl CursorWatch {
    pub(crate) fn new() -> Self {
        Self {
            position: watch::Sender::new(0),
            tables: RwLock::default(),
            trouble: RwLock::default(),
            wake: Notify::new(),
        }
    }

    /// Reports a position to the waiting readers. A cursor never goes back, so an older position has no effect.
    pub(crate) fn tell(&self, position: u64) {
        self.position.send_if_modified(|known| {
            let is_newer = position > *known;
            *known = position.max(*known);
            is_newer
        });
    }

    /// Returns the active versions, as far as this process knows them.
    pub(crate) fn tables(&self) -> Option<Arc<Tables>> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the active versions. An older generation has no effect.
    pub(crate) fn choose(&self, tables: Arc<Tables>) {
        let mut known = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        if known.as_ref().is_none_or(|known| known.generation <= tables.generation) {
            *known = Some(tables);
        }
    }

    /// Returns the reason for which this process does not move the cursor, if there is one.
    pub(crate) fn trouble(&self) -> Option<Arc<Trouble>> {
        self.trouble.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Records that the cursor does not move, or that it moves again.
    pub(crate) fn stand(&self, trouble: Option<Trouble>) {
        if trouble.is_some() || self.trouble().is_some() {
            *self.trouble.write().unwrap_or_else(PoisonError::into_inner) = trouble.map(Arc::new);
        }
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.position.subscribe()
    }
}

/// Returns the position of the cursor; 0 if nothing was projected yet.
pub(crate) async fn position(db: &Client, shard: Shard) -> Result<u64, Error> {
    let statement = db.prepare_cached(include_str!("position.sql")).await?;
    let row = db.query_opt(&statement, &[&shard]).await?;
    Ok(row.map(|row| row.try_get(0)).transpose()?.map_or(0, sql::to_u64))
}

/// The prepared query for the position up to which tables are filled.
pub(crate) struct CursorRow(Statement);

impl CursorRow {
    pub(crate) async fn prepare(db: &Client) -> Result<Self, Error> {
        Ok(Self(db.prepare_cached(include_str!("place.sql")).await?))
    }

    /// Returns a position up to which `tables` are filled; 0 if the active versions changed, because `tables` may not
    /// be fed then.
    pub(crate) async fn of(&self, db: &Client, shard: Shard, tables: &Tables) -> Result<u64, Error> {
        let [position, generation] = self.read(db, shard).await?;
        Ok(if generation == tables.generation { position } else { 0 })
    }

    /// Returns the position of the cursor and the newest generation of the versions; zeros if there is no cursor.
    async fn read(&self, db: &Client, shard: Shard) -> Result<[u64; 2], Error> {
        let Some(row) = db.query_opt(&self.0, &[&shard]).await? else { return Ok([0, 0]) };
        Ok([row.try_get(0)?, row.try_get(1)?].map(sql::to_u64))
    }
}

/// Returns true if the cursor has reached `position` and the versions are of `generation` or later.
pub(crate) async fn has_reached(
    db: Lease,
    shard: Shard,
    position: u64,
    generation: u64,
) -> Result<bool, Error> {
    let [at, newest] = CursorRow::prepare(&db).await?.read(&db, shard).await?;
    Ok(at >= position && newest >= generation)
}

/// Creates the cursor if there is none.
pub(crate) async fn create(db: &Client, shard: Shard) -> Result<(), Error> {
    let statement = db.prepare_cached(include_str!("create.sql")).await?;
    db.execute(&statement, &[&shard]).await?;
    Ok(())
}

/// Does the same in a database transaction.
pub(crate) async fn create_in(tx: &Transaction<'_>, shard: Shard) -> Result<(), Error> {
    let statement = tx.prepare_cached(include_str!("create.sql")).await?;
    tx.execute(&statement, &[&shard]).await?;
    Ok(())
}

/// Locks the cursor and returns its position; none if another process holds the lock.
pub(crate) async fn take(tx: &Transaction<'_>, shard: Shard) -> Result<Option<u64>, Error> {
    let statement = tx.prepare_cached(include_str!("take.sql")).await?;
    let row = tx.query_opt(&statement, &[&shard]).await?;
    Ok(row.map(|row| row.try_get(0)).transpose()?.map(sql::to_u64))
}

/// Timeouts of a transaction that waits for the cursor: a page of the log is written under the lock, which takes longer
/// than a request would wait on a busy machine.
const PAGE_TIMEOUTS: &str = "set local lock_timeout = '30s'; set local statement_timeout = 0";

/// Waits for the lock of the cursor and returns its position; none if nothing was projected yet.
pub(crate) async fn lock(tx: &Transaction<'_>, shard: Shard) -> Result<Option<u64>, Error> {
    tx.batch_execute(PAGE_TIMEOUTS).await?;
    let statement = tx.prepare_cached(include_str!("lock.sql")).await?;
    let row = tx.query_opt(&statement, &[&shard]).await?;
    Ok(row.map(|row| row.try_get(0)).transpose()?.map(sql::to_u64))
}

/// Moves the locked cursor to the end of the commit `end`.
pub(crate) async fn advance(tx: &Transaction<'_>, shard: Shard, end: Head) -> Result<(), Error> {
    let (position, commit_no) = (sql::to_i64(end.position), sql::to_i64(end.commit_no));
    // The time of the commit is used, because this crate has no clock.
    let at = TimestampMs(end.recorded_at_ms);
    let statement = tx.prepare_cached(include_str!("move.sql")).await?;
    let found = tx.execute(&statement, &[&shard, &position, &commit_no, &at]).await?;
    if found == 1 { Ok(()) } else { Err(Error::RowCount { shard, expected: 1, found }) }
}
