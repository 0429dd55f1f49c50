//! The store of the read models: the database, the log, and the state of both that this process knows. Queries and the
//! projection both use it, and share nothing else.

pub(crate) mod copy;
pub(crate) mod cursor;
pub(crate) mod fold;
mod metrics;
pub(crate) mod model;
mod query;
pub(crate) mod recorded_event;
pub(crate) mod sql;
pub(crate) mod version;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cursor::CursorWatch;
pub use cursor::Trouble;
use daybook_log::postgres::{Lease, Replicas};
use daybook_log::{Log, Position, Shard};
use daybook_pg::{Pg, Role};
pub use metrics::{Metrics, SECONDS, SIZES};
pub use model::{Model, UnknownModel};
use tokio::time::{sleep, timeout};
use version::{Stage, Tables, Version};

use crate::error::Error;

/// Interval at which a waiting reader checks if the runner of another process has moved the cursor.
const CURSOR_POLL_INTERVAL: Duration = Duration::from_millis(10);
/// Maximum time that a reader waits for the projection. After it the reader takes an answer that is older than the log.
pub(crate) const CATCH_UP_TIMEOUT: Duration = Duration::from_millis(250);

/// The database of the read models, and the log from which they are filled. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    pub(crate) pg: Pg,
    pub(crate) log: Arc<dyn Log>,
    replicas: Option<Arc<Replicas>>,
    known: Arc<Mutex<HashMap<Shard, Arc<CursorWatch>>>>,
    pub(crate) metrics: Metrics,
}

impl Store {
    /// Creates a store on the tables in the database of `pg`, which are filled from `log`.
    pub(crate) fn new(pg: Pg, log: Arc<dyn Log>) -> Self {
        Self { pg, log, replicas: None, known: Arc::default(), metrics: Metrics::default() }
    }

    /// Returns the same store, reading rows from `replicas` and events from `log`.
    pub(crate) fn reading_from(self, log: Arc<dyn Log>, replicas: Arc<Replicas>) -> Self {
        Self { log, replicas: Some(replicas), ..self }
    }

    /// Returns true if every commit that was read until now is in the log for certain, so that an answer may be kept.
    pub(crate) fn is_certain(&self, shard: Shard) -> bool {
        self.replicas.as_ref().is_none_or(|replicas| replicas.is_certain(shard))
    }

    /// Runs `work` on a server whose read models are at least those that this process knows: the cursor has reached the
    /// position of the primary's, and the active versions are of `generation` or later.
    pub(crate) async fn reading<T, W: Future<Output = Result<T, Error>> + Send>(
        &self,
        shard: Shard,
        generation: u64,
        work: impl Fn(Lease) -> W + Sync,
    ) -> Result<T, Error> {
        if let Some(replicas) = &self.replicas {
            let position = *self.known(shard).subscribe().borrow();
            let has_rows = |db| cursor::has_reached(db, shard, position, generation);
            if let Some(found) = Box::pin(replicas.read(shard, has_rows, &work)).await {
                return Ok(found);
            }
        }
        work(Lease::of(self.pg.of(shard).client().await?)).await
    }

    /// Returns the active tables, as far as this process knows them.
    pub(crate) async fn tables(&self, shard: Shard) -> Result<Arc<Tables>, Error> {
        match self.known(shard).tables() {
            Some(tables) => Ok(tables),
            None => self.reload_versions(shard).await,
        }
    }

    /// Reads the active versions from the database.
    pub(crate) async fn reload_versions(&self, shard: Shard) -> Result<Arc<Tables>, Error> {
        let tables = Arc::new(Tables::read(&self.versions(shard).await?)?);
        self.known(shard).choose(Arc::clone(&tables));
        Ok(tables)
    }

    /// Returns every version of every read model, including dropped ones.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn versions(&self, shard: Shard) -> Result<Vec<Version>, Error> {
        version::all(&self.pg.of(shard).client().await?, shard).await
    }

    /// Replaces the tables in a statement, such as `users_v1`, by those of the active versions.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn with_active_tables(&self, shard: Shard, text: &str) -> Result<String, Error> {
        let mut versions = self.versions(shard).await?;
        versions.retain(|version| version.stage == Stage::Active);
        Ok(version::about(&versions, text))
    }

    /// Returns the position of the cursor, which is the position of lists.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn position(&self, shard: Shard) -> Result<u64, Error> {
        let read = |db: Lease| async move { cursor::position(&db, shard).await };
        let position = self.reading(shard, 0, read).await?;
        self.known(shard).tell(position);
        Ok(position)
    }

    /// Returns the reason for which the projection of this process is stopped; none while it projects pages.
    #[must_use]
    pub fn trouble(&self, shard: Shard) -> Option<Arc<Trouble>> {
        self.known(shard).trouble()
    }

    /// Returns the metrics of the projection.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Waits until the cursor has reached `position`, at most for `within`, and returns the position of the cursor.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn caught_up(&self, shard: Shard, position: u64, within: Duration) -> Result<u64, Error> {
        let known = self.known(shard);
        let mut cursor = known.subscribe();
        let reached = async {
            while *cursor.borrow_and_update() < position {
                known.wake.notify_one();
                tokio::select! {
                    _ = cursor.changed() => {}
                    () = sleep(CURSOR_POLL_INTERVAL) => {
                        self.position(shard).await?;
                    }
                }
            }
            Ok(())
        };
        match timeout(within, reached).await {
            Ok(Err(error)) => Err(error),
            Ok(Ok(())) | Err(_) => Ok(*known.subscribe().borrow()),
        }
    }

    /// Waits up to 250 ms for the projection to reach the head of the log.
    ///
    /// # Errors
    ///
    /// [`Error::Database`], a failure of the log.
    pub(crate) async fn catch_up(&self, shard: Shard) -> Result<(), Error> {
        let head = self.log.head(shard).await?.position;
        self.wait_for(shard, head).await?;
        Ok(())
    }

    /// Waits up to 250 ms for the projection to reach `head`, and returns the position of the cursor. The log is told
    /// of `head`, because another process may have appended events that this process does not know.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub(crate) async fn wait_for(&self, shard: Shard, head: Position) -> Result<Position, Error> {
        self.log.observe(shard, head);
        self.caught_up(shard, head, CATCH_UP_TIMEOUT).await
    }

    /// Returns connections that may write to the tables. Queries use those that the store was created with.
    pub(crate) fn feeding(&self) -> Pg {
        self.pg.acting_as(Role::Projector)
    }

    /// Returns connections that may create and drop tables.
    pub(crate) fn building(&self) -> Pg {
        self.pg.acting_as(Role::Owner)
    }

    pub(crate) fn known(&self, shard: Shard) -> Arc<CursorWatch> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(shard).or_insert_with(|| Arc::new(CursorWatch::new())))
    }
}
