//! Handlers of subscriptions, one verb per file.

pub mod change;
pub mod create;
pub mod get;
pub mod list;
pub mod logs;
pub mod redeliver;
