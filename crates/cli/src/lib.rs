//! The one binary `daybook`: composition, configuration, telemetry.
//!
//! Only this crate reads the environment, but for `daybook_pg`, which looks for PostgreSQL's programs in `PATH`.

pub mod bank;
pub mod commands;
pub mod config;
pub mod database;
pub mod export;
pub mod progress;
pub mod service;
pub mod telemetry;
