//! Handlers of subnets, one verb a file.

pub mod create;
pub mod get;
pub mod list;
pub mod update;
