//! The one binary `daybook`: composition, configuration, telemetry. Only this crate reads files and environment.

pub mod commands;
pub mod config;
pub mod database;
pub mod service;
pub mod telemetry;
