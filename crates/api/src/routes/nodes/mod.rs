//! Handlers of nodes, one verb per file.

mod answer;
pub mod balance;
mod bank_login;
pub mod create;
pub mod deactivate;
pub mod dummy_tran;
pub mod entries;
pub mod explain;
pub mod get;
pub mod list;
mod micro_deposits;
mod relabel;
pub mod update;
