//! Handlers of files for and from a bank, one verb a file.

pub mod get;
pub mod list;
pub mod returns;
