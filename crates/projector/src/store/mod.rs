//! The store under the read models: the database, the log, and what this process knows of both. Readers and the
//! projection stand on it, and meet nowhere else.

mod ask;
pub(crate) mod copy;
pub(crate) mod cursor;
pub(crate) mod fold;
pub(crate) mod happened;
mod metrics;
pub(crate) mod model;
pub(crate) mod sql;
pub(crate) mod version;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cursor::Known;
pub use cursor::Trouble;
use daybook_log::{Log, Position, Shard};
use daybook_pg::{Pg, Role};
pub use metrics::{Metrics, SECONDS, SIZES};
pub use model::{Model, UnknownModel};
use tokio::time::{sleep, timeout};
use version::{Stage, Tables, Version};

use crate::error::Error;

/// How often a waiting reader looks whether the runner of another process has moved the cursor.
const LOOK_AGAIN: Duration = Duration::from_millis(10);
/// How long a reader waits for the projection before it takes an answer that is older than the log.
pub(crate) const PATIENCE: Duration = Duration::from_millis(250);

/// The database of the read models and the log that they are made of. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    pub(crate) pg: Pg,
    pub(crate) log: Arc<dyn Log>,
    known: Arc<Mutex<HashMap<Shard, Arc<Known>>>>,
    pub(crate) metrics: Metrics,
}

impl Store {
    /// The tables in the database of `pg`, made of `log`.
    pub(crate) fn new(pg: Pg, log: Arc<dyn Log>) -> Self {
        Self { pg, log, known: Arc::default(), metrics: Metrics::default() }
    }

    /// Which versions statements are about.
    pub(crate) async fn tables(&self, shard: Shard) -> Result<Arc<Tables>, Error> {
        match self.known(shard).tables() {
            Some(tables) => Ok(tables),
            None => self.look_at_versions(shard).await,
        }
    }

    /// Reads which versions there are to be read.
    pub(crate) async fn look_at_versions(&self, shard: Shard) -> Result<Arc<Tables>, Error> {
        let tables = Arc::new(Tables::read(&self.versions(shard).await?)?);
        self.known(shard).choose(Arc::clone(&tables));
        Ok(tables)
    }

    /// Every version of every read model that there ever was.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn versions(&self, shard: Shard) -> Result<Vec<Version>, Error> {
        version::all(&self.pg.client().await?, shard).await
    }

    /// A statement that names tables `users_v1`, about the versions of them that are read, whichever these are.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn about_what_is_read(&self, shard: Shard, text: &str) -> Result<String, Error> {
        let mut versions = self.versions(shard).await?;
        versions.retain(|version| version.stage == Stage::Active);
        Ok(version::about(&versions, text))
    }

    /// Where the cursor stands: the position that lists are of.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn position(&self, shard: Shard) -> Result<u64, Error> {
        let db = self.pg.client().await?;
        let position = cursor::position(&db, shard).await?;
        self.known(shard).tell(position);
        Ok(position)
    }

    /// Why the projection of this process stands still, if it does: until a page of it is projected again.
    #[must_use]
    pub fn trouble(&self, shard: Shard) -> Option<Arc<Trouble>> {
        self.known(shard).trouble()
    }

    /// What is counted of the projection.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Waits until the cursor has reached `position`, but not longer than `within`; answers where it stands.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn caught_up(&self, shard: Shard, position: u64, within: Duration) -> Result<u64, Error> {
        let known = self.known(shard);
        let mut cursor = known.subscribe();
        let reached = async {
            while *cursor.borrow_and_update() < position {
                known.hurry.notify_one();
                tokio::select! {
                    _ = cursor.changed() => {}
                    () = sleep(LOOK_AGAIN) => {
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

    /// Waits a moment for the projection to come to the end of the log.
    ///
    /// # Errors
    ///
    /// [`Error::Database`], a failure of the log.
    pub(crate) async fn catch_up(&self, shard: Shard) -> Result<(), Error> {
        let head = self.log.head(shard).await?.position;
        self.wait_for(shard, head).await?;
        Ok(())
    }

    /// Waits a moment for the projection to come to `head`, where the log ended; answers where the cursor stands. Another
    /// process may have appended what this one has not heard of.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub(crate) async fn wait_for(&self, shard: Shard, head: Position) -> Result<Position, Error> {
        self.log.observe(shard, head);
        self.caught_up(shard, head, PATIENCE).await
    }

    /// Connections that may write tables. A reader takes those that it was given.
    pub(crate) fn feeding(&self) -> Pg {
        self.pg.acting_as(Role::Projector)
    }

    /// Connections that may make and drop tables.
    pub(crate) fn building(&self) -> Pg {
        self.pg.acting_as(Role::Owner)
    }

    pub(crate) fn known(&self, shard: Shard) -> Arc<Known> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(shard).or_insert_with(|| Arc::new(Known::new())))
    }
}
