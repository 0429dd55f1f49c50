//! Requests and answers of operators. Pure; `daybook ops` and `daybook ledger` print the same records.

pub mod act;
pub mod breaks;
pub mod custody;
pub mod file;
pub mod format;
pub mod open_item;
pub mod operate;
pub mod operation;
pub mod positions;
pub mod queued;
pub mod reconciliation;
pub mod returned;
pub mod returned_transaction;
pub mod rules;
mod side;
pub mod stated;
pub mod statement;
pub mod sum;
pub mod trial_balance;
