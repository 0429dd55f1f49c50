//! Operations, by id and by platform.

mod v1;

/// The table.
pub(crate) const SCHEMA: &str = include_str!("schema.sql");
/// A page of a platform's operations.
pub(crate) const LIST: &str = include_str!("list.sql");
