//! Handlers of nodes, one verb a file.

pub mod balance;
mod bank_login;
pub mod create;
pub mod dummy_tran;
pub mod entries;
pub mod explain;
pub mod get;
pub mod list;
pub mod update;
