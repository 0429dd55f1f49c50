//! Ledger: what was posted to every ledger account, for the trial balance and the custody identity.

mod custody;
mod sums;
mod v1;

pub use custody::{CustodyRow, custody};
pub use sums::{LedgerRow, Sums};
pub(crate) use v1::Ledger;

/// The table.
pub(crate) const SCHEMA: &str = include_str!("schema.sql");
/// All rows.
pub(crate) const ROWS: &str = include_str!("rows.sql");
