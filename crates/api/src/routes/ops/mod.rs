//! Handlers of ops: what operators call, one verb a file.

pub mod me;
