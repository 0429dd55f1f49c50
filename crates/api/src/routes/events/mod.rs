//! Handlers of the event feed, one verb per file.

pub mod list;
