//! Handlers of users, one verb a file.

pub mod create;
pub mod get;
mod papers;
pub mod update;
