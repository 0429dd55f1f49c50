//! What can go wrong between us and the database, by what a caller can do about it.

use std::fmt;

use tokio_postgres::error::SqlState;

use crate::metrics;

/// A failure of the database or of the way to it. The customer is never to blame for one.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The settings make no sense; a person has to change them.
    #[error("database configuration: {0}")]
    Config(String),
    /// The database cannot be reached or is too busy right now; nothing was done, try again.
    #[error("the database is unavailable: {0}")]
    Unavailable(String),
    /// The disk of the server is full; nothing was done.
    #[error("the disk of the database is full: {0}")]
    Full(String),
    /// The answer to COMMIT was lost or was an error: the work is done or it is not, and only the data can tell.
    #[error("the outcome of a commit is unknown")]
    CommitUnknown(#[source] tokio_postgres::Error),
    /// The database took the place of another one and lacks what this process knows: whatever it remembers may be wrong.
    #[error("{0}")]
    Replaced(&'static str),
    /// What the server reads from its disk is not what it wrote there; a person has to restore it. Logged and counted where
    /// it is noticed, for callers can only be told to come back.
    #[error("the database is damaged: {0}")]
    Damaged(String),
    /// A statement failed; the database transaction was rolled back.
    #[error("a statement failed")]
    Statement(#[source] tokio_postgres::Error),
    /// The schema in the database is newer than this binary, or was changed by someone else.
    #[error("migration: {0}")]
    Migration(String),
    /// A right is missing; somebody who has it must grant it.
    #[error("the database denies it: {0}")]
    Denied(String),
    /// The embedded server could not be found, prepared, started or stopped.
    #[error("embedded PostgreSQL: {0}")]
    Embedded(String),
}

impl Error {
    /// Every error answered to COMMIT means unknown, whatever its SQLSTATE.
    #[must_use]
    pub fn at_commit(source: tokio_postgres::Error) -> Self {
        Self::CommitUnknown(source)
    }

    /// Whether another attempt, perhaps on a new connection or by the process that comes after this one, can succeed where
    /// this one failed: nothing is wrong with what was asked.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unavailable(_) | Self::Full(_) | Self::Replaced(_) | Self::Damaged(_) => true,
            Self::Statement(source) => source.code().is_some_and(is_conflict),
            Self::Config(_)
            | Self::CommitUnknown(_)
            | Self::Migration(_)
            | Self::Denied(_)
            | Self::Embedded(_) => false,
        }
    }
}

impl From<tokio_postgres::Error> for Error {
    fn from(source: tokio_postgres::Error) -> Self {
        match source.code() {
            None => Self::Unavailable(chain(&source)),
            Some(code) if *code == SqlState::DISK_FULL => Self::Full(chain(&source)),
            Some(code) if is_outage(code) => Self::Unavailable(chain(&source)),
            Some(code) if is_damage(code) => {
                let what = chain(&source);
                tracing::error!(error = what, "the database is damaged");
                metrics::damaged();
                Self::Damaged(what)
            }
            Some(_) => Self::Statement(source),
        }
    }
}

/// Class 08 (connection), 53 (out of disk, memory or connections), 57P0x (shutdown), 58030 (I/O), XX000 and 25006
/// (a standby): the server or the way to it is gone, not the statement wrong.
fn is_outage(code: &SqlState) -> bool {
    let code = code.code();
    let classes = ["08", "53", "57P"];
    classes.iter().any(|class| code.starts_with(class)) || ["58030", "XX000", "25006"].contains(&code)
}

/// A page whose checksum is wrong or that is not there (XX001), an index that makes no sense (XX002), a file that is gone (58P01).
fn is_damage(code: &SqlState) -> bool {
    ["XX001", "XX002", "58P01"].contains(&code.code())
}

/// Serialization failure, deadlock, lock or statement timeout: the same statement may pass next time.
fn is_conflict(code: &SqlState) -> bool {
    ["40001", "40P01", "55P03", "57014"].contains(&code.code())
}

pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    Causes(error).to_string()
}

/// An error with everything below it, on one line: for logs, of which those that are JSON show the top of an error alone.
#[derive(Debug)]
pub struct Causes<'a>(pub &'a dyn std::error::Error);

impl fmt::Display for Causes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut said = self.0.to_string();
        let mut source = self.0.source();
        while let Some(cause) = source {
            let next = cause.to_string();
            // Some errors say what is below them, too.
            if !said.contains(&next) {
                said.push_str(": ");
                said.push_str(&next);
            }
            source = cause.source();
        }
        f.write_str(&said)
    }
}
