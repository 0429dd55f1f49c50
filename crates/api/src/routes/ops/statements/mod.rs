//! Handlers of bank statements, one verb per file.

pub mod create;
pub mod get;
pub mod list;
