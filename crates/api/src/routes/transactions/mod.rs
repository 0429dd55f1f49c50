//! Handlers of transactions, one verb per file.

pub mod attachment;
pub mod cancel;
pub mod comment;
pub mod create;
pub mod create_batch;
pub mod get;
pub mod list;
