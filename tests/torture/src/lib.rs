//! Torture: `daybook serve` in processes of its own on a PostgreSQL of its own, asked by many, harmed by nemeses; then
//! checks of what was promised, in the style of Jepsen. docs/RELIABILITY.md tells how it works and what came of it.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]
#![allow(clippy::must_use_candidate, reason = "nobody but the harness calls this")]

pub mod arena;
pub mod backup;
pub mod balancer;
pub mod check;
pub mod client;
pub mod cluster;
pub mod commands;
pub mod deadlocks;
pub mod disk;
pub(crate) mod dump;
pub mod error;
pub mod faketime;
pub mod flipping;
pub mod history;
pub mod ledger;
pub mod nemesis;
pub mod ops;
pub mod payments;
pub mod proxy;
pub mod quiet;
pub mod service;
pub mod sight;
pub mod stage;
pub mod standby;
pub mod tally;
pub mod tampering;
pub mod wal;
pub mod workload;
pub mod world;
