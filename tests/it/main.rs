//! Integration tests.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod commit_lost;
mod corpus;
mod embedded;
mod errors;
mod golden;
mod health;
mod log;
mod migrate;
mod nodes;
mod oauth;
mod privacy;
mod projector;
mod sandbox;
mod scopes;
mod transactions;
mod users;
mod vault;
mod writers;
