//! Transactions, by id, and those of a platform that are in one status. All of a user, a node or a platform are lists of
//! [`super::members`].

mod v1;

use daybook_domain::transaction::Status;

/// The table.
pub(crate) const SCHEMA: &str = include_str!("schema.sql");

/// A page of a platform's transactions in `status`: shard, platform, status, offset, limit.
pub(crate) const fn list_in(status: Status) -> &'static str {
    if status.is_end() { include_str!("list_ended.sql") } else { include_str!("list_open.sql") }
}
