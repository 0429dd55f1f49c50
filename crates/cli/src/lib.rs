//! The one binary `daybook`: composition, configuration, telemetry.
//!
//! Only this crate reads the environment, but for `daybook_pg`, which looks for PostgreSQL's programs in `PATH`.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod access;
pub mod anchor;
pub mod bank;
pub mod bundle;
pub mod commands;
pub mod config;
pub mod database;
pub mod entrance;
pub mod error;
pub mod export;
pub mod fault;
pub mod keys;
pub mod memory;
pub mod metrics;
pub mod out;
pub mod proc_status;
pub mod program;
pub mod progress;
pub mod service;
mod stop;
mod table;
pub mod telemetry;
mod whole_file;

/// An error with everything below it that it does not say itself.
#[must_use]
pub fn with_causes(error: &dyn std::error::Error) -> String {
    daybook_pg::Causes(error).to_string()
}
