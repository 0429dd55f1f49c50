//! What can go wrong with a log, by what the writer or a reader can do about it.

use crate::Position;

/// A failure of the log; never the customer's fault.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another writer was faster at the same place; nothing was appended, decide again.
    #[error("another writer appended first")]
    Conflict,
    /// The log cannot be reached or is too busy; nothing was appended.
    #[error("the log is unavailable")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The answer to the commit was lost: it is there or it is not.
    #[error("the outcome of an append is unknown")]
    Unknown(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The log does not hold what it must hold. Money does not guess: stop.
    #[error("the log is corrupt after position {position}: {what}")]
    Corrupt {
        /// The last position that was as it must be.
        position: Position,
        /// What is wrong.
        what: String,
    },
    /// The log refused a statement; nothing was appended.
    #[error("the log refused")]
    Refused(#[source] Box<dyn std::error::Error + Send + Sync>),
}
