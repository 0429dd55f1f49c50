//! Subscriptions, by id. Those of a platform are a list of [`super::members`].

mod v1;

/// The table.
pub(crate) const SCHEMA: &str = include_str!("schema.sql");

/// Every subscription of a shard, whosever it is.
pub(crate) const IDS: &str = include_str!("ids.sql");
