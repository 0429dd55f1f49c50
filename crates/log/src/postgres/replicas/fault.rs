//! Reasons for which a replica does not answer a read.

use std::fmt;

/// Reason for which the primary answers a read instead of a replica.
#[derive(Debug)]
pub(super) enum Fault {
    /// The replica lacks a commit or rows that the primary has.
    Behind,
    /// The replica has another commit where this process knows one.
    OtherLog,
    /// This process knows no commit of the primary yet, to compare with.
    NothingKnown,
    /// No connection could be opened, or the check was not answered in time.
    Unavailable(String),
    /// A statement failed, for example because it conflicted with the replay of the write-ahead log.
    Failed(String),
}

impl Fault {
    pub(super) fn failed(error: impl std::error::Error) -> Self {
        Self::Failed(daybook_pg::Causes(&error).to_string())
    }

    /// Value of the label `answered` in the metrics.
    pub(super) const fn as_str(&self) -> &'static str {
        match self {
            Self::Behind => "behind",
            Self::OtherLog => "other_log",
            Self::NothingKnown => "nothing_known",
            Self::Unavailable(_) => "unavailable",
            Self::Failed(_) => "failed",
        }
    }

    /// Returns true if the next read would meet the same fault.
    pub(super) const fn lasts(&self) -> bool {
        match self {
            Self::Behind | Self::OtherLog | Self::Unavailable(_) => true,
            Self::NothingKnown | Self::Failed(_) => false,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Behind => out.write_str("it is behind the primary"),
            Self::OtherLog => out.write_str("it has another log than the primary"),
            Self::NothingKnown => out.write_str("no commit of the primary is known yet"),
            Self::Unavailable(why) | Self::Failed(why) => out.write_str(why),
        }
    }
}
