//! Projections with a fold of their own, beside the record read models.
//!
//! Each gathers what a page of the log means for its tables, then writes it with one statement per table. Gathering
//! cannot fail: what is recorded has happened.

use daybook_domain::process::{ToDo, to_do};
use daybook_domain::transaction::OpenItem;
use daybook_domain::{Key, State};
use daybook_log::Shard;
use daybook_pg::Transaction;

use crate::decode::Happened;
use crate::error::Error;
use crate::read::waiting::{Waits, waits};
use crate::record::Row;

/// A record as a page of the log leaves it, and what must be known of how it was before.
#[derive(Debug)]
pub(crate) struct Changed {
    /// Which record.
    pub(crate) key: Key,
    /// How it is now.
    pub(crate) row: Row,
    /// Whether it began in this page.
    pub(crate) is_new: bool,
    /// What followed from it before.
    pub(crate) before: Before,
}

/// What followed from a record before a page changed it; nothing from one that did not exist.
#[derive(Debug, Default)]
pub(crate) struct Before {
    /// What was to be done about it.
    pub(crate) to_do: Option<ToDo>,
    /// What was open between the ledger and a bank.
    pub(crate) open_items: Vec<OpenItem>,
    /// For whom it waited.
    pub(crate) waits: Waits,
}

impl Before {
    /// What follows from `state`.
    pub(crate) fn of(state: &State) -> Self {
        let open_items = match state {
            State::Transaction(transaction) => transaction.open_items(),
            State::Platform(_)
            | State::User(_)
            | State::Node(_)
            | State::Account(_)
            | State::Custody(_)
            | State::Operation(_) => vec![],
        };
        Self { to_do: to_do(state), open_items, waits: waits(state) }
    }
}

impl Changed {
    /// What is to be done about it now.
    pub(crate) fn to_do(&self) -> Option<ToDo> {
        to_do(&self.row.current.state)
    }
}

/// A fold of a page of the log into rows.
pub(crate) trait Projection: Default {
    /// Takes in one event; they come in order.
    fn event(&mut self, _happened: &Happened) {}

    /// Takes in one record that the page changed; new ones come in the order of their creation.
    fn record(&mut self, _changed: &Changed) {}

    /// Writes what was gathered.
    async fn save(&self, tx: &Transaction<'_>, shard: Shard) -> Result<(), Error>;
}
