//! Subnets, by id. Those of a node are a list of [`super::members`].

mod v1;

/// The table.
pub(crate) const SCHEMA: &str = include_str!("schema.sql");
