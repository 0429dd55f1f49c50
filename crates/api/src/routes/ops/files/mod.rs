//! Handlers of files to and from a bank, one verb per file.

pub mod get;
pub mod list;
pub mod returns;
