//! Handlers of operations, one verb a file.

pub mod create;
pub mod get;
pub mod list;
pub mod review;
