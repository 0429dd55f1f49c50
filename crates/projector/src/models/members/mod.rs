//! Members of lists, numbered in the order of their creation.
//!
//! Numbers without gaps make page k a range scan at any depth. A member that leaves a list keeps its number, so a page
//! has to know how many members left before it: these are few, and have an index of their own. The total of a list that
//! members can leave is a row; the total of any other list is the number of its last member. [`super::parties`] has the
//! lists of transactions.
//!
//! Folds 1 and 2 have these as well, with a row for each list that a transaction is in, and fold 1 has a row for the
//! total of every list. They feed the tables of a database that is older than fold 3, until these are rebuilt and
//! dropped.

mod change;
mod lists;
mod stored;

#[cfg(test)]
pub(crate) use change::Counter;
pub(crate) use change::Members;
use daybook_domain::Kind;
pub(crate) use lists::{List, ListKind, lists_of_transaction};
pub(crate) use stored::{columns, stored};

use crate::store::model::{Definition, MadeOf};

/// Declaration of the read model.
pub(crate) const MODEL: Definition = Definition {
    fold: 3,
    // A transaction is in its lists from its creation on, and never leaves them.
    kinds_of_first: &[Kind::Transaction],
    compared,
    leftover: Some(include_str!("forget.sql")),
    ..Definition::new(
        &["members", "counters"],
        &[Kind::User, Kind::Node, Kind::Transaction, Kind::Subnet, Kind::Subscription, Kind::Statement],
        MadeOf::States,
        |_| include_str!("schema.sql").into(),
    )
};

/// Condition on the rows of a table that are compared; none for all rows. Totals of lists that members cannot leave are
/// not read, and only older folds have lists of transactions.
fn compared(table: &str, old: u16, new: u16) -> Option<&'static str> {
    match table {
        "counters" => Some("kind not in (1, 2, 3, 6, 7, 8)"),
        _ if has_transactions(old) != has_transactions(new) => Some("kind not in (1, 2, 3)"),
        _ => None,
    }
}

/// Returns true if a fold has the lists of transactions.
const fn has_transactions(fold: u16) -> bool {
    fold < 3
}

/// Query for a page of a list: shard, list, kind, offset, limit.
pub(crate) const LIST: &str = include_str!("list.sql");
