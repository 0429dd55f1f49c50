//! Baselines: what PostgreSQL does on this machine in the same run, without Daybook.

pub(crate) mod copy_in;
mod ev;
pub(crate) mod pgbench;
pub(crate) mod select;
