//! Handlers of sandbox, one verb a file.

pub mod credit;
