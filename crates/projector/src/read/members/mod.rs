//! Members of lists, numbered in the order of their creation.
//!
//! Numbers without holes make page k a range scan at any depth, and a counter makes the total one row. Who leaves a list
//! keeps its number, so a page has to know how many have left before it: they are few, and have an index of their own.

mod lists;
mod v1;

pub(crate) use lists::{List, ListKind};
#[cfg(test)]
pub(crate) use v1::Counter;
pub(crate) use v1::{Counters, Members};

/// The tables.
pub(crate) const SCHEMA: &str = include_str!("schema.sql");

/// A page of a list: shard, list, kind, offset, limit.
pub(crate) const LIST: &str = include_str!("list.sql");

/// The same of a list of transactions, those in one status: the status comes last.
pub(crate) const LIST_IN_STATUS: &str = include_str!("list_in_status.sql");
