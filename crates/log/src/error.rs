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
    /// The server took the place of another one and has all that is known here, or the newest commit that was read is not
    /// where the next one would be written; nothing was appended. The states that were read may not be there: forget them,
    /// and decide again.
    #[error("the log is on another server now")]
    Moved,
    /// A commit that this process knew is gone: a fail-over lost it. Whatever this process remembers may be wrong: end.
    #[error(
        "the log is not the one that this process knew: the commit that ended at position {position} is gone"
    )]
    Replaced {
        /// Where the commit ended.
        position: Position,
    },
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

impl Error {
    /// Whether the log is not to be had; else its data are wrong, which does not pass by itself.
    #[must_use]
    pub const fn is_outage(&self) -> bool {
        !matches!(self, Self::Corrupt { .. })
    }

    /// Whether the disk of the database is full.
    #[must_use]
    pub fn is_full(&self) -> bool {
        let Self::Unavailable(source) = self else { return false };
        matches!(source.downcast_ref(), Some(daybook_pg::Error::Full(_)))
    }

    /// The caller appends, reads or releases without having taken the lock.
    pub(crate) fn not_locked() -> Self {
        Self::Refused("the shard's lock is not held".into())
    }

    /// Nothing is at the position after `good`, and it ought to be there.
    pub(crate) fn missing_after(good: Position) -> Self {
        Self::Corrupt { position: good, what: "the next position is missing".to_owned() }
    }
}

/// Before COMMIT was sent: an error of the way or of the moment may be gone next time, any other will not.
impl From<daybook_pg::Error> for Error {
    fn from(error: daybook_pg::Error) -> Self {
        match error {
            daybook_pg::Error::CommitUnknown(_) => Self::Unknown(Box::new(error)),
            daybook_pg::Error::Replaced(_) => Self::Unavailable(Box::new(error)),
            _ if error.is_transient() => Self::Unavailable(Box::new(error)),
            _ => Self::Refused(Box::new(error)),
        }
    }
}

impl From<tokio_postgres::Error> for Error {
    fn from(error: tokio_postgres::Error) -> Self {
        daybook_pg::Error::from(error).into()
    }
}
