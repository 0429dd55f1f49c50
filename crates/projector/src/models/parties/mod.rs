//! Parties of a transaction, each with the transaction's number in the list of that party. A transaction is one row in
//! up to five lists: that of its platform, those of the users on both sides, and those of their nodes.
//!
//! Each list is numbered without gaps in the order of creation, and no transaction leaves it. Page k is therefore a
//! range of numbers at any depth, and the total is the last number. A user or a node can be on either side of a
//! transaction, so two indexes together contain its list.

mod change;

pub(crate) use change::Parties;
use daybook_domain::Kind;

use crate::store::model::{Definition, MadeOf};

/// Declaration of the read model.
pub(crate) const MODEL: Definition = Definition {
    // The parties of a transaction are known at its creation and never change.
    kinds_of_first: &[Kind::Transaction],
    // Numbers that only a rebuild needs are not read.
    compared: |table, _, _| if table == "lasts" { Some("false") } else { None },
    leftover: Some(include_str!("forget.sql")),
    ..Definition::new(&["parties", "lasts"], &[Kind::Transaction], MadeOf::States, |_| {
        include_str!("schema.sql").into()
    })
};

/// Query for a page of the transactions of a platform: shard, platform, offset, limit.
pub(crate) const OF_PLATFORM: &str = include_str!("list_of_platform.sql");
/// Query for a page of the transactions of a user.
pub(crate) const OF_USER: &str = include_str!("list_of_user.sql");
/// Query for a page of the transactions of a node.
pub(crate) const OF_NODE: &str = include_str!("list_of_node.sql");

/// Query for a page of the transactions of a user in one status; the status is the last parameter.
pub(crate) const OF_USER_IN_STATUS: &str = include_str!("list_of_user_in_status.sql");
/// Query for a page of the transactions of a node in one status.
pub(crate) const OF_NODE_IN_STATUS: &str = include_str!("list_of_node_in_status.sql");
