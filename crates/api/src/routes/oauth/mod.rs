//! Handlers of OAuth keys, one verb a file.

mod challenge;
pub mod create;
