//! Handlers of lines in suspense, one verb per file.

pub mod list;
