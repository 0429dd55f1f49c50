//! Waiting: transactions that are held back, and for whom. When a cause is cleared, whoever waits for it is to be looked
//! at again.

mod v1;

pub(crate) use v1::{Waiting, Waits, waits};

/// The tables.
pub(crate) const SCHEMA: &str = include_str!("schema.sql");
/// Those whose cause was cleared, asked as [`super::to_dos`] are.
pub(crate) const DUE: &str = include_str!("due.sql");
/// A page of a platform's queued transactions.
pub(crate) const LIST: &str = include_str!("list.sql");
