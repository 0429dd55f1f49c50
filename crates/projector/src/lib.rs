//! Read models: the projection that fills them, and the queries that read them.
//!
//! A read model is a table that remembers a fold of events: it may be thrown away at any time. Only this crate writes
//! those tables, and it writes nothing else: it appends no event and opens no box; ciphertext moves verbatim.
//!
//! `store` is the database and the log. `models` has a folder for each read model. `projection` fills them from the
//! log, and `queries` answers from them; these two do not know each other. `comparison` stands above all four.

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
use daybook_pg::Pg;
pub use error::{Error, Undecodable};
pub use models::files::CutRow;
pub use models::ledger::{CustodyRow, LedgerRow, Sums, custody};
pub use models::open_items::OpenItemRow;
pub use projection::Versions;
#[cfg(feature = "testing")]
pub use projection::page::testing;
pub use projection::rebuild::{Built, Estimate, NotChosen, NotDropped, Rebuild, RebuildError};
pub use projection::replay::replay;
pub use projection::runner::{Progress, Runner};
pub use queries::aggregates::{Aggregates, Until};
pub use queries::balances::{Balance, Balances, Explained, Moment};
pub use queries::lists::{Backlog, Due, Holdings, Lists, Place, Question};
pub use queries::page::{Listed, Page};
pub use queries::statements::{Statement, Statements, Whose};
pub use store::fold::{Records, Timeline, Versioned, fold};
pub use store::happened::Happened;
pub use store::version::{Stage, Version};
pub use store::{Metrics, Model, SECONDS, SIZES, Store, Trouble, UnknownModel};

/// The read models of a database, one handle for each kind of question. Cheap to clone.
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
    /// Reads the tables in the database of `pg`, and from `log` what they do not hold yet.
    #[must_use]
    pub fn new(pg: Pg, log: Arc<dyn Log>) -> Self {
        let store = Store::new(pg, log);
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

    /// States and timelines of aggregates, now or at a position.
    #[must_use]
    pub const fn aggregates(&self) -> &Aggregates {
        &self.aggregates
    }

    /// Pages of aggregates, and what the processes have to do.
    #[must_use]
    pub const fn lists(&self) -> &Lists {
        &self.lists
    }

    /// Balances and entries of accounts, and the trial balance.
    #[must_use]
    pub const fn balances(&self) -> &Balances {
        &self.balances
    }

    /// Account statements.
    #[must_use]
    pub const fn statements(&self) -> &Statements {
        &self.statements
    }

    /// The versions of read models.
    #[must_use]
    pub const fn versions(&self) -> &Versions {
        &self.versions
    }

    /// What is read, compared with what was made beside it.
    #[must_use]
    pub const fn comparisons(&self) -> &Comparisons {
        &self.comparisons
    }

    /// The database and the log, and how far the projection has come.
    #[must_use]
    pub const fn store(&self) -> &Store {
        &self.store
    }
}
