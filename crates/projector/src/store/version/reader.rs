//! Readers: each process reports the generation of versions that it uses, so that no version is dropped while another
//! process may read it.

use std::time::{Duration, Instant};

use daybook_log::{Activity, Shard};
use daybook_pg::Causes;
use tokio::sync::watch;
use tracing::field::display;
use uuid::Uuid;

use crate::error::Error;
use crate::store::Store;
use crate::store::sql;

/// Interval at which a process reports that it is alive.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(5);
/// Interval at which a process checks if the active versions changed.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Interval of the same while the shard is quiet.
const QUIET_INTERVAL: Duration = Duration::from_secs(2);

/// The last report of this process: its id, the generation and the time.
#[derive(Debug, Default)]
struct Reader {
    process: Option<Uuid>,
    told: Option<(u64, Instant)>,
}

/// Reloads the active versions at an interval, and reports their generation, until `stop` is true.
pub(crate) async fn heartbeat(store: &Store, shard: Shard, mut stop: watch::Receiver<bool>) {
    let mut reader = Reader::default();
    let mut activity = Activity::of(&*store.log, shard);
    while !*stop.borrow() {
        if let Err(error) = reader.look(store, shard).await {
            let error = display(Causes(&error));
            tracing::warn!(shard, error, "cannot report which versions this process reads");
        }
        tokio::select! {
            () = activity.pause(POLL_INTERVAL, QUIET_INTERVAL) => {}
            stopped = stop.changed() => if stopped.is_err() { break },
        }
    }
    if let Err(error) = reader.leave(store, shard).await {
        let error = display(Causes(&error));
        tracing::warn!(shard, error, "cannot report that this process stopped reading");
    }
}

impl Reader {
    async fn look(&mut self, store: &Store, shard: Shard) -> Result<(), Error> {
        let generation = store.reload_versions(shard).await?.generation;
        let is_told = |(told, at): (u64, Instant)| told == generation && at.elapsed() < HEARTBEAT_INTERVAL;
        if self.told.is_some_and(is_told) {
            return Ok(());
        }
        let db = store.feeding().of(shard).client().await?;
        let statement = db.prepare_cached(include_str!("forget.sql")).await?;
        db.execute(&statement, &[&shard]).await?;
        let statement = db.prepare_cached(include_str!("tell.sql")).await?;
        let row = db.query_one(&statement, &[&shard, &self.process, &sql::to_i64(generation)]).await?;
        self.process = Some(row.try_get(0)?);
        self.told = Some((generation, Instant::now()));
        Ok(())
    }

    async fn leave(&self, store: &Store, shard: Shard) -> Result<(), Error> {
        let Some(process) = self.process else { return Ok(()) };
        let db = store.feeding().of(shard).client().await?;
        let statement = db.prepare_cached(include_str!("leave.sql")).await?;
        db.execute(&statement, &[&shard, &process]).await?;
        Ok(())
    }
}
