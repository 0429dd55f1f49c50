//! Handlers of OAuth keys, one verb per file.

mod challenge;
pub mod create;
