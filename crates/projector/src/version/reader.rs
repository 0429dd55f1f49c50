//! Readers: each process tells which choice of versions it acts on, so that nobody drops what another may ask for.

use std::time::{Duration, Instant};

use daybook_log::Shard;
use daybook_pg::Client;
use uuid::Uuid;

use crate::Reads;
use crate::error::Error;
use crate::sql;

/// How often a process says that it is still there.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// How often it looks whether other versions are read now.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// What this process has told of itself.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    process: Option<Uuid>,
    told: Option<(u64, Instant)>,
    looked: Option<Instant>,
}

impl Reader {
    /// Looks now and then which versions are read, and tells that this process knows.
    pub(crate) async fn look(&mut self, reads: &Reads, shard: Shard) -> Result<(), Error> {
        if self.looked.is_some_and(|at| at.elapsed() < LOOK_AGAIN) {
            return Ok(());
        }
        let tables = reads.look_at_versions(shard).await?;
        self.looked = Some(Instant::now());
        self.tell(&reads.pg.client().await?, shard, tables.generation).await
    }

    /// Tells that this process acts on `generation`, if it has not just done so.
    async fn tell(&mut self, db: &Client, shard: Shard, generation: u64) -> Result<(), Error> {
        let is_told = |(told, at): (u64, Instant)| told == generation && at.elapsed() < HEARTBEAT;
        if self.told.is_some_and(is_told) {
            return Ok(());
        }
        let statement = db.prepare_cached(include_str!("tell.sql")).await?;
        let row = db.query_one(&statement, &[&shard, &self.process, &sql::to_i64(generation)]).await?;
        self.process = Some(row.try_get(0)?);
        self.told = Some((generation, Instant::now()));
        Ok(())
    }

    /// Says that this process does not read any more.
    pub(crate) async fn leave(&self, reads: &Reads, shard: Shard) -> Result<(), Error> {
        let Some(process) = self.process else { return Ok(()) };
        let db = reads.pg.client().await?;
        let statement = db.prepare_cached(include_str!("leave.sql")).await?;
        db.execute(&statement, &[&shard, &process]).await?;
        Ok(())
    }
}
