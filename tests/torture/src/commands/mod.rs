//! One file per subcommand. Exit codes: 0 all is well, 1 a check failed, 2 the run could not be made.

pub mod check;
pub mod disk_full;
pub mod failover;
pub mod flip;
pub mod migrate;
pub mod mutant;
pub mod power_cut;
pub mod restore;
pub mod run;
pub mod tamper;
