//! Handlers of subnets, one verb per file.

pub mod create;
pub mod get;
pub mod list;
pub mod update;
