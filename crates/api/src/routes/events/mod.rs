//! Handlers of what happened, one verb a file.

pub mod list;
