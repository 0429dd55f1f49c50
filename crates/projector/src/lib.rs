//! Read models: the read side (CQRS) of Daybook's event-sourced ledger.
//!
//! A *read model* is a table that stores the result of a fold of events. It can be dropped and filled again from the
//! log at any time. A *projection* folds pages of the log and writes their rows together with the *cursor* (the
//! projection checkpoint) in one database transaction, so each event has its effect on the rows exactly once. All read
//! models of a shard share one cursor. The write path never reads a read model.
//!
//! - [`Runner`] feeds the read models of a shard. Every process may run one; the row of the cursor is the lock.
//! - [`Reads`] answers queries: [`Aggregates`] as fresh as the log (read-your-writes), [`Lists`], [`Balances`] as of
//!   any position, time or day, and account [`Statements`].
//! - [`Rebuild`] builds a new [`Version`] of a read model beside the active one (blue-green). [`Comparisons`] compares
//!   the two, switches to the new version, or rolls back.
//!
//! Only this crate writes these tables, and it writes nothing else: it appends no event and opens no box. Ciphertext is
//! copied unchanged.
//!
//! # Modules
//!
//! `store` contains the database, the log, the cursor and the versions. `models` has one folder for each read model.
//! `projection` fills the tables, `queries` reads them; these two do not depend on each other. `comparison` uses all
//! four.
//!
//! # Example
//!
//! Feeds the read models of shard 1 until `stop` is true, and reads a balance as of a position of the log:
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use daybook_domain::{AccountId, Currency, NodeId};
//! use daybook_log::postgres::PostgresLog;
//! use daybook_pg::Pg;
//! use daybook_projector::{Error, Moment, Reads, Runner};
//! use tokio::sync::watch;
//!
//! async fn feed(pg: Pg, stop: watch::Receiver<bool>) {
//!     let reads = Reads::new(pg.clone(), Arc::new(PostgresLog::new(pg)));
//!     Runner::new(reads.store(), 1).run(stop).await;
//! }
//!
//! async fn posted_at(reads: &Reads, node: NodeId, position: u64) -> Result<Option<i64>, Error> {
//!     let account = AccountId::of(node, Currency::USD);
//!     let balance = reads.balances().balance_at(1, account, Moment::Position(position)).await?;
//!     Ok(balance.map(|balance| balance.posted))
//! }
//! ```

#![warn(clippy::wildcard_enum_match_arm)]

mod comparison;
mod error;
mod models;
mod projection;
mod queries;
mod store;

use std::sync::Arc;

pub use comparison::{Allowed, Compared, Comparison, Comparisons, Difference};
use daybook_log::Log;
use daybook_log::postgres::Replicas;
use daybook_pg::Pg;
pub use error::{Error, Undecodable};
pub use models::files::CutRow;
pub use models::ledger::{CustodyRow, LedgerRow, Sums, custody};
pub use models::open_items::OpenItemRow;
pub use projection::Versions;
#[cfg(feature = "testing")]
pub use projection::page::testing;
pub use projection::rebuild::{Estimate, NotChosen, NotDropped, Rebuild, RebuildError, RebuildProgress};
pub use projection::replay::replay;
pub use projection::runner::{Progress, Runner};
pub use queries::aggregates::{Aggregates, Until};
pub use queries::balances::{Balance, Balances, Explained, Moment, Tally, TieOutSums};
pub use queries::lists::{Backlog, Due, DuePosition, Holdings, Lists, Question};
pub use queries::page::{Listed, Page};
pub use queries::statements::{Statement, StatementOwner, Statements};
pub use store::fold::{Records, Timeline, Versioned, fold};
pub use store::recorded_event::RecordedEvent;
pub use store::version::{Stage, Version};
pub use store::{Metrics, Model, SECONDS, SIZES, Store, Trouble, UnknownModel};

/// The read models of a database, with one handle for each kind of query. Cheap to clone.
#[derive(Clone)]
pub struct Reads {
    store: Store,
    aggregates: Aggregates,
    lists: Lists,
    balances: Balances,
    statements: Statements,
    versions: Versions,
    comparisons: Comparisons,
}

impl Reads {
    /// Creates the handles on the tables in the database of `pg`, and on `log` for events that were not projected yet.
    #[must_use]
    pub fn new(pg: Pg, log: Arc<dyn Log>) -> Self {
        Self::of(Store::new(pg, log))
    }

    /// Returns handles that read events from `log` and rows from its `replicas`. They answer only what these would have
    /// answered. A decision does not use them: it needs the newest state, not a recent one.
    #[must_use]
    pub fn reading_from(&self, log: Arc<dyn Log>, replicas: Arc<Replicas>) -> Self {
        Self::of(self.store.clone().reading_from(log, replicas))
    }

    fn of(store: Store) -> Self {
        let (aggregates, balances) = (Aggregates::new(store.clone()), Balances::new(store.clone()));
        let versions = Versions::new(store.clone());
        Self {
            lists: Lists::new(store.clone(), aggregates.clone()),
            statements: Statements::new(store.clone(), aggregates.clone(), balances.clone()),
            comparisons: Comparisons::new(
                store.clone(),
                versions.clone(),
                aggregates.clone(),
                balances.clone(),
            ),
            store,
            aggregates,
            balances,
            versions,
        }
    }

    /// Returns the handle for states and timelines of aggregates, current or as of a position.
    #[must_use]
    pub const fn aggregates(&self) -> &Aggregates {
        &self.aggregates
    }

    /// Returns the handle for lists of aggregates, and for the to-dos of the processes.
    #[must_use]
    pub const fn lists(&self) -> &Lists {
        &self.lists
    }

    /// Returns the handle for balances and entries of accounts, and for the trial balance.
    #[must_use]
    pub const fn balances(&self) -> &Balances {
        &self.balances
    }

    /// Returns the handle for account statements.
    #[must_use]
    pub const fn statements(&self) -> &Statements {
        &self.statements
    }

    /// Returns the handle for the versions of read models.
    #[must_use]
    pub const fn versions(&self) -> &Versions {
        &self.versions
    }

    /// Returns the handle for comparing and switching versions.
    #[must_use]
    pub const fn comparisons(&self) -> &Comparisons {
        &self.comparisons
    }

    /// Returns the store: the database, the log, and the position of the cursor.
    #[must_use]
    pub const fn store(&self) -> &Store {
        &self.store
    }
}
