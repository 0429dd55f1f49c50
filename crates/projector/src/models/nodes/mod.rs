//! Nodes, by id, those of a user in the order of their creation, and those of a platform that are of one type.
//!
//! These are counted when they are listed: a user has a handful, and one type is rarely asked for. All nodes of a
//! platform are in [`super::members`].

mod v1;

/// The table.
pub(crate) const SCHEMA: &str = include_str!("schema.sql");

/// A page of a user's active nodes: shard, user, kind or null, offset, limit.
pub(crate) const LIST: &str = include_str!("list.sql");

/// All nodes of a user of some types: shard, user, kinds.
pub(crate) const OF_USER: &str = include_str!("of_user.sql");

/// A page of a platform's active nodes of one type: shard, platform, kind, offset, limit.
pub(crate) const LIST_OF_KIND: &str = include_str!("list_of_kind.sql");
