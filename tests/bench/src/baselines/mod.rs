//! Baselines: performance of PostgreSQL alone, measured on this machine in the same run.

pub(crate) mod copy_in;
mod ev;
pub(crate) mod pgbench;
pub(crate) mod select;
