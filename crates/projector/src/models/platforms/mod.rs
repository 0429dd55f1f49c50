//! Platforms, by id.

mod v1;

/// The table.
pub(crate) const SCHEMA: &str = include_str!("schema.sql");
/// Those whose clock is ahead.
pub(crate) const CLOCKS: &str = include_str!("clocks.sql");
