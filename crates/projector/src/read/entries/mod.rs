//! Entries: what was added to each account, step by step, with the numbers after each step.

mod v1;

pub(crate) use v1::Entries;

/// The last entry of an account at or before a position: shard, account, position.
pub(crate) const AT: &str = include_str!("at.sql");

/// The last entries of accounts, each at or before a position: shard, accounts, positions.
pub(crate) const AT_EACH: &str = include_str!("at_each.sql");

/// The table.
pub(crate) const SCHEMA: &str = include_str!("schema.sql");
