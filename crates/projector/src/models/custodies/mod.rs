//! Accounts at banks, by id.

mod v1;

/// The table.
pub(crate) const SCHEMA: &str = include_str!("schema.sql");
