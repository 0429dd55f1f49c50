//! Handlers of users, one verb per file.

pub mod create;
pub mod get;
pub mod list;
mod papers;
pub mod update;
