//! Handlers of a bank's statements, one verb a file.

pub mod create;
