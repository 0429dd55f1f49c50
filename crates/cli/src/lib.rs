//! The binary `daybook`: command line, configuration, composition of all crates, and telemetry.
//!
//! [`program::run`] is the entry point. It parses the command line ([`config`]) and runs one command ([`commands`]).
//! The commands `dev` and `serve` start a [`service::Service`], which consists of the log, the read models, the vault,
//! the engine and the HTTP API. All other commands do one thing and end with an exit code
//! ([`error::Error::exit_code`]).
//!
//! The crate is also a library, so that tests and benchmarks can run commands in their own process:
//!
//! ```no_run
//! use clap::Parser;
//! use daybook_cli::config::Cli;
//! use daybook_cli::{commands, error};
//!
//! # async fn example() -> Result<(), error::Error> {
//! let cli = Cli::parse_from(["daybook", "log", "verify", "--data-dir", "/var/lib/daybook"]);
//! commands::run(cli).await
//! # }
//! ```
//!
//! Only this crate reads environment variables, except that `daybook_pg` searches `PATH` for the programs of
//! PostgreSQL.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod access;
pub mod anchor;
pub mod bank;
pub mod bank_inbox;
pub mod bundle;
pub mod commands;
pub mod config;
pub mod database;
pub mod error;
pub mod export;
pub mod fault;
pub mod ingress;
pub mod keys;
pub mod memory;
pub mod metrics;
pub mod out;
mod places;
pub mod proc_status;
pub mod program;
pub mod progress;
pub mod service;
mod shards;
mod stop;
mod table;
pub mod telemetry;
mod whole_file;

/// Formats an error with all its causes that its own text does not contain.
#[must_use]
pub fn with_causes(error: &dyn std::error::Error) -> String {
    daybook_pg::Causes(error).to_string()
}
