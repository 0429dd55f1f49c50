//! Members of lists, numbered in the order of their creation.
//!
//! Numbers without holes make page k a range scan at any depth. Who leaves a list keeps its number, so a page has to know
//! how many have left before it: they are few, and have an index of their own. The total of a list that members may leave
//! is one row; of others it is the number of the last. Lists of transactions are [`super::parties`].
//!
//! Folds 1 and 2 have those, too, a row for each list that a transaction is in, and fold 1 a row for the total of every
//! list. They feed what a database has that is older than fold 3, until that is rebuilt and dropped.

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

/// The declaration.
pub(crate) const MODEL: Definition = Definition {
    fold: 3,
    // A transaction is in its lists from its creation on, and for ever.
    kinds_of_first: &[Kind::Transaction],
    compared,
    leftover: Some(include_str!("forget.sql")),
    ..Definition::new(
        &["members", "counters"],
        &[Kind::User, Kind::Node, Kind::Transaction, Kind::Subnet, Kind::Subscription],
        MadeOf::States,
        |_| include_str!("schema.sql").into(),
    )
};

/// Which rows of a table are compared, if not all: totals of lists that nobody leaves are not read, and lists of
/// transactions only older folds have.
fn compared(table: &str, old: u16, new: u16) -> Option<&'static str> {
    match table {
        "counters" => Some("kind not in (1, 2, 3, 6, 7)"),
        _ if has_transactions(old) != has_transactions(new) => Some("kind not in (1, 2, 3)"),
        _ => None,
    }
}

/// Whether a fold has the lists of transactions.
const fn has_transactions(fold: u16) -> bool {
    fold < 3
}

/// A page of a list: shard, list, kind, offset, limit.
pub(crate) const LIST: &str = include_str!("list.sql");
