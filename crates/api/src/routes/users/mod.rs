//! Handlers of users, one verb per file.

mod attachments;
pub mod create;
pub mod get;
pub mod list;
pub mod update;
