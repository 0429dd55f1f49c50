//! Balances: the newest numbers of each account, in one row. What a caller is shown comes from the log's last entries
//! ([`crate::Reads::accounts`]); this table is for sums over many accounts.

mod v1;

pub(crate) use v1::Balances;

/// The table.
pub(crate) const SCHEMA: &str = include_str!("schema.sql");
