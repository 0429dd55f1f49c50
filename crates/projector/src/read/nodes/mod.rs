//! Nodes, by id, and those of a user in the order of their creation.
//!
//! A user's nodes are counted when they are listed: a user has a handful, and a node that is switched off has to
//! leave the list, which a counter and dense numbers (as in [`super::members`]) could not follow.

mod v1;

/// The table.
pub(crate) const SCHEMA: &str = include_str!("schema.sql");

/// A page of a user's active nodes: shard, user, kind or null, offset, limit.
pub(crate) const LIST: &str = include_str!("list.sql");
