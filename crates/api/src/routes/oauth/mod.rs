//! Handlers of oauth, one verb a file.

pub mod create;
