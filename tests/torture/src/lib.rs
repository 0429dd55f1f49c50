//! Torture test in the style of Jepsen: runs `daybook serve` in processes of its own on a PostgreSQL of its own, sends
//! calls from many workers, injects faults, and then checks the guarantees. `docs/RELIABILITY.md` describes method and
//! results.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]
#![allow(clippy::must_use_candidate, reason = "nobody but the harness calls this")]

pub mod arena;
pub mod backup;
pub mod balancer;
pub mod cents;
pub mod check;
pub mod client;
pub mod cluster;
pub mod commands;
pub mod deadlocks;
pub mod desk;
pub mod disk;
pub(crate) mod dump;
pub mod error;
pub mod faketime;
pub mod flipping;
pub mod history;
pub mod ledger;
pub mod nemesis;
pub mod ops;
pub mod paced;
pub mod pairs;
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
