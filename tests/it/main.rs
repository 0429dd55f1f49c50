//! Integration tests.
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod architecture;
mod balances;
mod bank_login;
mod commit_lost;
mod corpus;
mod docs;
mod embedded;
mod errors;
mod golden;
mod health;
mod isolation;
mod lists;
mod log;
mod migrate;
mod nodes;
mod oauth;
mod operators;
mod ops;
mod privacy;
mod projector;
mod race;
mod read_models;
mod restart;
mod routes;
mod sandbox;
mod scopes;
mod story;
mod subnets;
mod subscriptions;
mod town;
mod transactions;
mod users;
mod vault;
mod world;
mod writers;
