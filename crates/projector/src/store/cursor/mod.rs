//! The cursor: how far the read models of a shard have come. One for all of them, so that whatever is read together
//! is of one moment.

use std::sync::{Arc, PoisonError, RwLock};

use daybook_log::{Head, Shard};
use daybook_pg::types::TimestampMs;
use daybook_pg::{Client, Transaction};
use tokio::sync::{Notify, watch};
use tokio_postgres::Statement;

use crate::error::Error;
use crate::store::sql;
use crate::store::version::Tables;

/// Why a cursor does not move.
#[derive(Debug)]
pub struct Trouble {
    /// What is wrong, without what lies below it.
    pub because: String,
    /// Whether it passes by itself once database and log are back.
    pub is_outage: bool,
}

/// What this process knows of a shard's cursor.
#[derive(Debug)]
pub(crate) struct Known {
    position: watch::Sender<u64>,
    /// Which versions are read; none until somebody asked the database.
    tables: RwLock<Option<Arc<Tables>>>,
    /// Why this process does not move it; none if it does.
    trouble: RwLock<Option<Arc<Trouble>>>,
    /// Rung by whoever waits for the cursor: a runner that gathers events for a fuller page should not now.
    pub(crate) hurry: Notify,
}

impl Known {
    pub(crate) fn new() -> Self {
        Self {
            position: watch::Sender::new(0),
            tables: RwLock::default(),
            trouble: RwLock::default(),
            hurry: Notify::new(),
        }
    }

    /// Tells those who wait; a cursor never goes back, so an older reading changes nothing.
    pub(crate) fn tell(&self, position: u64) {
        self.position.send_if_modified(|known| {
            let is_newer = position > *known;
            *known = position.max(*known);
            is_newer
        });
    }

    /// Which versions are read, as far as this process knows.
    pub(crate) fn tables(&self) -> Option<Arc<Tables>> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Tells which versions are read; an older reading changes nothing.
    pub(crate) fn choose(&self, tables: Arc<Tables>) {
        let mut known = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        if known.as_ref().is_none_or(|known| known.generation <= tables.generation) {
            *known = Some(tables);
        }
    }

    /// Why this process does not move the cursor, if it does not.
    pub(crate) fn trouble(&self) -> Option<Arc<Trouble>> {
        self.trouble.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Says that the cursor does not move, or does again.
    pub(crate) fn stand(&self, trouble: Option<Trouble>) {
        if trouble.is_some() || self.trouble().is_some() {
            *self.trouble.write().unwrap_or_else(PoisonError::into_inner) = trouble.map(Arc::new);
        }
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.position.subscribe()
    }
}

/// Where the cursor stands; 0 if nothing was ever read.
pub(crate) async fn position(db: &Client, shard: Shard) -> Result<u64, Error> {
    let statement = db.prepare_cached(include_str!("position.sql")).await?;
    let row = db.query_opt(&statement, &[&shard]).await?;
    Ok(row.map(|row| row.try_get(0)).transpose()?.map_or(0, sql::to_u64))
}

/// The question up to where tables are filled, ready to be sent.
pub(crate) struct Place(Statement);

impl Place {
    pub(crate) async fn prepare(db: &Client) -> Result<Self, Error> {
        Ok(Self(db.prepare_cached(include_str!("place.sql")).await?))
    }

    /// The position that `tables` are filled to at least; 0 if others are read by now, for nobody may fill these.
    pub(crate) async fn of(&self, db: &Client, shard: Shard, tables: &Tables) -> Result<u64, Error> {
        let Some(row) = db.query_opt(&self.0, &[&shard]).await? else { return Ok(0) };
        let [position, generation] = [row.try_get(0)?, row.try_get(1)?].map(sql::to_u64);
        Ok(if generation == tables.generation { position } else { 0 })
    }
}

/// Makes the cursor if there is none.
pub(crate) async fn create(db: &Client, shard: Shard) -> Result<(), Error> {
    let statement = db.prepare_cached(include_str!("create.sql")).await?;
    db.execute(&statement, &[&shard]).await?;
    Ok(())
}

/// The same in a database transaction.
pub(crate) async fn create_in(tx: &Transaction<'_>, shard: Shard) -> Result<(), Error> {
    let statement = tx.prepare_cached(include_str!("create.sql")).await?;
    tx.execute(&statement, &[&shard]).await?;
    Ok(())
}

/// Locks the cursor and tells where it stands; none if another process holds it.
pub(crate) async fn take(tx: &Transaction<'_>, shard: Shard) -> Result<Option<u64>, Error> {
    let statement = tx.prepare_cached(include_str!("take.sql")).await?;
    let row = tx.query_opt(&statement, &[&shard]).await?;
    Ok(row.map(|row| row.try_get(0)).transpose()?.map(sql::to_u64))
}

/// A page of the log is written under the lock, and on a busy machine that takes longer than a request would wait.
const PATIENT: &str = "set local lock_timeout = '30s'; set local statement_timeout = 0";

/// Waits for the lock of the cursor and tells where it stands; none if nothing was ever read.
pub(crate) async fn lock(tx: &Transaction<'_>, shard: Shard) -> Result<Option<u64>, Error> {
    tx.batch_execute(PATIENT).await?;
    let statement = tx.prepare_cached(include_str!("lock.sql")).await?;
    let row = tx.query_opt(&statement, &[&shard]).await?;
    Ok(row.map(|row| row.try_get(0)).transpose()?.map(sql::to_u64))
}

/// Moves the cursor that was taken to the end of the commit `end`.
pub(crate) async fn advance(tx: &Transaction<'_>, shard: Shard, end: Head) -> Result<(), Error> {
    let (position, commit_no) = (sql::to_i64(end.position), sql::to_i64(end.commit_no));
    // The commit's own time: this crate has no clock.
    let at = TimestampMs(end.recorded_at_ms);
    let statement = tx.prepare_cached(include_str!("move.sql")).await?;
    let found = tx.execute(&statement, &[&shard, &position, &commit_no, &at]).await?;
    if found == 1 { Ok(()) } else { Err(Error::RowCount { shard, expected: 1, found }) }
}
