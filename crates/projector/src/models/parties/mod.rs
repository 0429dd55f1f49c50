//! Parties: who takes part in a transaction, each with its number in the list of that one. So a transaction is one row
//! in up to five lists: its platform's, those of the users on both sides, and those of their nodes.
//!
//! Each list is numbered without holes in the order of creation, and nobody leaves one. So page k is a range of numbers
//! at any depth, and the total is the number of the last. A user or a node is now on one side and now on the other: its
//! list is what two indexes find.

mod change;

pub(crate) use change::Parties;
use daybook_domain::Kind;

use crate::store::model::{Definition, MadeOf};

/// The declaration.
pub(crate) const MODEL: Definition = Definition {
    // A party takes part in a transaction from its creation on, and for ever.
    kinds_of_first: &[Kind::Transaction],
    // Numbers that only a rebuild needed are not read.
    compared: |table, _, _| if table == "lasts" { Some("false") } else { None },
    leftover: Some(include_str!("forget.sql")),
    ..Definition::new(&["parties", "lasts"], &[Kind::Transaction], MadeOf::States, |_| {
        include_str!("schema.sql").into()
    })
};

/// A page of the transactions of a platform: shard, platform, offset, limit.
pub(crate) const OF_PLATFORM: &str = include_str!("list_of_platform.sql");
/// The same of a user.
pub(crate) const OF_USER: &str = include_str!("list_of_user.sql");
/// The same of a node.
pub(crate) const OF_NODE: &str = include_str!("list_of_node.sql");

/// The same of a user, those in one status, which comes last.
pub(crate) const OF_USER_IN_STATUS: &str = include_str!("list_of_user_in_status.sql");
/// The same of a node.
pub(crate) const OF_NODE_IN_STATUS: &str = include_str!("list_of_node_in_status.sql");
