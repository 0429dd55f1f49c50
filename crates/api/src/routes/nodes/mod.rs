//! Handlers of nodes, one verb a file.

pub mod create;
pub mod get;
pub mod list;
