//! Integration tests.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod embedded;
mod log;
mod migrate;
mod vault;
