//! Members of lists, numbered in the order of their creation.
//!
//! Numbers without holes make page k a range scan at any depth. Who leaves a list keeps its number, so a page has to know
//! how many have left before it: they are few, and have an index of their own. The total of a list that members may leave
//! is one row; of others, which are by far the most and the longest, it is the number of the last.
//!
//! Fold 1 has a row for the total of every list, which costs as much as its members do; it feeds what a database has that
//! is older than fold 2, until that is rebuilt and dropped.

mod change;
mod lists;

#[cfg(test)]
pub(crate) use change::Counter;
pub(crate) use change::{Counters, Members};
pub(crate) use lists::{List, ListKind};

/// The tables.
pub(crate) const SCHEMA: &str = include_str!("schema.sql");

/// Which rows of a table are compared, if not all: totals of lists that nobody leaves are not read.
pub(crate) fn compared(table: &str) -> Option<&'static str> {
    (table == "counters").then_some("kind not in (1, 2, 3, 6, 7)")
}

/// Forgets what only a rebuild needed that had no index yet: shard.
pub(crate) const FORGET: &str = include_str!("forget.sql");

/// A page of a list: shard, list, kind, offset, limit.
pub(crate) const LIST: &str = include_str!("list.sql");

/// The same of a list of transactions, those in one status: the status comes last.
pub(crate) const LIST_IN_STATUS: &str = include_str!("list_in_status.sql");
