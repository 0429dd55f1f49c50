//! The registry: every read model there is. Its tables, and what it makes of a page of the log.

pub(crate) mod balances;
pub(crate) mod custodies;
pub(crate) mod daily;
pub(crate) mod entries;
pub(crate) mod files;
pub(crate) mod ledger;
pub(crate) mod members;
pub(crate) mod nodes;
pub(crate) mod open_items;
pub(crate) mod operations;
pub(crate) mod parties;
pub(crate) mod platforms;
pub(crate) mod projection;
pub(crate) mod queued;
pub(crate) mod record;
mod set;
pub(crate) mod subnets;
pub(crate) mod subscriptions;
pub(crate) mod to_dos;
pub(crate) mod transactions;
pub(crate) mod users;
pub(crate) mod waiting;

pub(crate) use set::Models;

pub(crate) use crate::store::Model;

impl Model {
    /// Columns that the fold `new` fills otherwise than `old`, whichever came first: their names, and what they are of the
    /// columns of `old`. What neither is the same nor named here is not compared, and a comparison says so.
    pub(crate) fn reshaped(self, old: u16, new: u16) -> &'static [(&'static str, &'static str)] {
        if self == Self::Balances { balances::reshaped(old, new) } else { &[] }
    }

    /// Which rows of a table are compared between two folds, if not all: others only one of them has, or nobody reads.
    pub(crate) fn compared(self, table: &str, old: u16, new: u16) -> Option<&'static str> {
        if self == Self::Daily && old != new {
            Some(daily::SHARED)
        } else if self == Self::Entries && old != new {
            Some(entries::SHARED)
        } else if self == Self::Members {
            members::compared(table, old, new)
        } else if self == Self::Parties {
            parties::compared(table)
        } else {
            None
        }
    }

    /// What deletes rows that only a rebuild needed that had no index yet, if there are such: shard.
    pub(crate) const fn leftover(self) -> Option<&'static str> {
        if matches!(self, Self::Members) {
            Some(members::FORGET)
        } else if matches!(self, Self::Parties) {
            Some(parties::FORGET)
        } else {
            None
        }
    }

    /// What makes its tables for a fold, tables before indexes; may be run again and again.
    pub(crate) const fn schema(self, fold: u16) -> &'static str {
        match self {
            Self::Platforms => platforms::SCHEMA,
            Self::Users => users::SCHEMA,
            Self::Nodes => nodes::SCHEMA,
            Self::Transactions => transactions::schema(fold),
            Self::Entries => entries::schema(fold),
            Self::Balances => balances::schema(fold),
            Self::Daily => daily::schema(fold),
            Self::ToDos => to_dos::SCHEMA,
            Self::Members => members::SCHEMA,
            Self::Parties => parties::SCHEMA,
            Self::Custodies => custodies::SCHEMA,
            Self::Operations => operations::SCHEMA,
            Self::Ledger => ledger::SCHEMA,
            Self::OpenItems => open_items::SCHEMA,
            Self::Queued => queued::SCHEMA,
            Self::Waiting => waiting::SCHEMA,
            Self::Files => files::SCHEMA,
            Self::Subnets => subnets::SCHEMA,
            Self::Subscriptions => subscriptions::SCHEMA,
        }
    }
}
