//! Test kit.

pub mod database;
