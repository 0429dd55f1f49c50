//! Ledger: debits and credits of every ledger account, for the trial balance and the custody identity.

mod custody;
mod sums;
mod v1;

pub use custody::{CustodyRow, custody};
use daybook_domain::Kind;
pub use sums::{LedgerRow, Sums};
pub(crate) use v1::Ledger;

use crate::store::model::{Definition, MadeOf};

/// Declaration of the read model.
pub(crate) const MODEL: Definition = Definition {
    tells_past: true,
    ..Definition::new(
        &["ledger"],
        &[Kind::Transaction, Kind::Custody, Kind::Statement, Kind::Operation, Kind::Break],
        MadeOf::Events,
        |_| include_str!("schema.sql").into(),
    )
};

/// Query for all rows.
pub(crate) const ROWS: &str = include_str!("rows.sql");

/// Query for the sums of a tie-out.
pub(crate) const TIE_OUT: &str = include_str!("tie_out.sql");
