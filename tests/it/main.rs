//! Integration tests.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod commit_lost;
mod embedded;
mod golden;
mod log;
mod migrate;
mod projector;
mod vault;
