//! Members of lists that only ever grow: today the transactions of a user, in the list named by the user's id.
//!
//! Numbers without holes make page k a range scan at any depth, and a counter makes the total one row.

mod v1;

pub(crate) use v1::{Members, Totals};

/// The tables.
pub(crate) const SCHEMA: &str = include_str!("schema.sql");

/// A page of a list: shard, list, the number before its first, the number of its last.
pub(crate) const LIST: &str = include_str!("list.sql");
