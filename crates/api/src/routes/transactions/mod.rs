//! Handlers of transactions, one verb a file.

pub mod attachment;
pub mod cancel;
pub mod comment;
pub mod create;
pub mod get;
pub mod list;
