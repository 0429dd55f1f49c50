//! Errors of a log, one variant for each reaction of the writer or a reader.

use crate::Position;

/// A failure of the log. It is never the caller's fault.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another writer appended at the same place first. Nothing was appended; the writer decides again.
    #[error("another writer appended first")]
    Conflict,
    /// The log is unreachable or too busy. Nothing was appended.
    #[error("the log is unavailable")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The answer to the commit was lost. The commit may be in the log or not.
    #[error("the outcome of an append is unknown")]
    Unknown(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The server replaced another one and has all commits that this process knows, or the newest commit that was read
    /// is missing where the next one would be written. Nothing was appended. The writer drops its cached states, which
    /// may not be in this log, and decides again.
    #[error("the log is on another server now")]
    Moved,
    /// A commit that this process knew is missing: a failover lost it. All cached data may be wrong, so the process
    /// must end.
    #[error(
        "the log is not the one that this process knew: the commit that ended at position {position} is gone"
    )]
    Replaced {
        /// Last position of the commit.
        position: Position,
    },
    /// The log violates an invariant. The writer stops; it never continues on unknown state.
    #[error("the log is corrupt after position {position}: {what}")]
    Corrupt {
        /// Last position that is correct.
        position: Position,
        /// Description of the fault.
        what: String,
    },
    /// The log refused a statement. Nothing was appended.
    #[error("the log refused")]
    Refused(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// Returns true if the log is unavailable, and false if its data are wrong, which does not pass by itself.
    #[must_use]
    pub const fn is_outage(&self) -> bool {
        !matches!(self, Self::Corrupt { .. })
    }

    /// Returns true if the disk of the database is full.
    #[must_use]
    pub fn is_full(&self) -> bool {
        let Self::Unavailable(source) = self else { return false };
        matches!(source.downcast_ref(), Some(daybook_pg::Error::Full(_)))
    }

    /// Error of an append, read or release without the lock.
    pub(crate) fn not_locked() -> Self {
        Self::Refused("the shard's lock is not held".into())
    }

    /// Error for a missing event at the position after `good`.
    pub(crate) fn missing_after(good: Position) -> Self {
        Self::Corrupt { position: good, what: "the next position is missing".to_owned() }
    }
}

/// Converts an error from before COMMIT was sent: transient errors become [`Error::Unavailable`], others
/// [`Error::Refused`].
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
