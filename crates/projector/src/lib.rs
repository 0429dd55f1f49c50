//! Read models and the runner that feeds them.
//!
//! A read model is a table that remembers a fold of events: it may be thrown away at any time. Only this crate writes
//! those tables, and it writes nothing else: it appends no event and opens no box; ciphertext moves verbatim.
//! [`Reads`] is what others may ask, [`Runner`] what keeps the answers coming.

#![warn(clippy::wildcard_enum_match_arm)]

mod ask;
mod balance;
mod banking;
mod copy;
mod cursor;
mod decode;
mod error;
mod fed;
mod fold;
mod fresh;
mod holdings;
mod install;
mod list;
mod lists;
mod metrics;
mod page;
mod past;
mod projection;
mod read;
mod rebuild;
mod record;
mod remembered;
mod replay;
mod runner;
mod sql;
mod statements;
mod states;
mod tail;
mod together;
mod version;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub use balance::{Balance, Explained, Moment};
use cursor::Known;
pub use cursor::Trouble;
use daybook_domain::process::Process;
use daybook_domain::{PlatformId, Timestamp};
use daybook_log::{Log, Shard};
use daybook_pg::{Pg, Role, Transaction};
pub use decode::Happened;
pub use error::{Error, Undecodable};
pub use fold::{Records, Timeline, Versioned, fold};
pub use holdings::Holdings;
pub use list::{Listed, Page};
pub use metrics::{Metrics, SECONDS, SIZES};
#[cfg(feature = "testing")]
pub use page::testing;
pub use past::Until;
pub use read::files::CutRow;
pub use read::ledger::{CustodyRow, LedgerRow, Sums, custody};
pub use read::open_items::OpenItemRow;
pub use read::to_dos::{Backlog, Due, Place, Question};
pub use read::{Model, UnknownModel};
pub use rebuild::{
    Allowed, Built, Compared, Comparison, Difference, Estimate, NotChosen, NotDropped, Rebuild,
};
pub use replay::replay;
pub use runner::{Progress, Runner};
pub use statements::{Statement, Whose};
use tokio::time::{sleep, timeout};
use version::Tables;
pub use version::{Stage, Version};

/// How often a waiting reader looks whether the runner of another process has moved the cursor.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// What the read models answer. Cheap to clone.
#[derive(Clone)]
pub struct Reads {
    pg: Pg,
    log: Arc<dyn Log>,
    known: Arc<Mutex<HashMap<Shard, Arc<Known>>>>,
    metrics: Metrics,
}

impl Reads {
    /// Reads the tables in the database of `pg`, and from `log` what they do not hold yet.
    #[must_use]
    pub fn new(pg: Pg, log: Arc<dyn Log>) -> Self {
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
        let tables = Arc::new(Tables::read(&version::all(&self.pg.client().await?, shard).await?)?);
        self.known(shard).choose(Arc::clone(&tables));
        Ok(tables)
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

    /// What a process has to do, the longest due first.
    ///
    /// The rows stay locked until `tx` ends, and rows that another `tx` has locked are passed over. The runner waits
    /// for a locked row that it has to change: end `tx` soon after the command was submitted. Steps of transactions are many
    /// and done together: their rows are not locked, but as long as `tx` has not ended nobody else is told of any.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn due(
        &self,
        tx: &Transaction<'_>,
        shard: Shard,
        question: Question,
    ) -> Result<Vec<Due>, Error> {
        let due = read::to_dos::due(tx, &*self.tables(shard).await?, shard, question).await;
        // The transaction is lost; the next one asks the right table.
        if due.as_ref().is_err_and(Error::is_dropped) {
            self.look_at_versions(shard).await?;
        }
        due
    }

    /// The processes that have something to do at `now`, for one platform or all.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn any_due(
        &self,
        shard: Shard,
        platform: Option<PlatformId>,
        now: Timestamp,
    ) -> Result<Vec<Process>, Error> {
        read::to_dos::any(self, shard, platform, now).await
    }

    /// How much each process has to do that is due at `now`; a process that has nothing to do is not there.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn backlog(&self, shard: Shard, now: Timestamp) -> Result<Vec<Backlog>, Error> {
        let tables = self.tables(shard).await?;
        let backlog = read::to_dos::backlog(&self.pg.client().await?, &tables, shard, now).await;
        // The next one asks the right table.
        if backlog.as_ref().is_err_and(Error::is_dropped) {
            self.look_at_versions(shard).await?;
        }
        backlog
    }

    /// Connections that may write tables. Whoever only asks takes those that it was given.
    pub(crate) fn feeding(&self) -> Pg {
        self.pg.acting_as(Role::Projector)
    }

    /// Connections that may make and drop tables.
    pub(crate) fn building(&self) -> Pg {
        self.pg.acting_as(Role::Owner)
    }

    fn known(&self, shard: Shard) -> Arc<Known> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(shard).or_insert_with(|| Arc::new(Known::new())))
    }
}
