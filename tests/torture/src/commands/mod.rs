//! Subcommands, one file each. Exit codes: 0 for success, 1 if a check failed, 2 if the run could not be made.

pub mod check;
pub mod disk_full;
pub mod failover;
pub mod flip;
pub mod migrate;
pub mod mutant;
pub mod pay;
pub mod power_cut;
pub mod replicas;
pub mod restore;
pub mod run;
pub mod servers;
pub mod tamper;
