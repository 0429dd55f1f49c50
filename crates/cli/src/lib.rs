//! The one binary `daybook`: composition, configuration, telemetry.
//!
//! Only this crate reads the environment, but for `daybook_pg`, which looks for PostgreSQL's programs in `PATH`.

mod access;
pub mod anchor;
pub mod bank;
pub mod bundle;
pub mod commands;
pub mod config;
pub mod database;
pub mod entrance;
pub mod error;
mod exchange;
pub mod export;
pub mod fault;
pub mod keys;
pub mod memory;
pub mod metrics;
pub mod proc_status;
pub mod progress;
pub mod service;
pub mod telemetry;

/// An error with everything below it that it does not say itself.
#[must_use]
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let cause_text = error.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        cause = error.source();
    }
    text
}
