//! Errors of the database and of the connection to it, by what a caller can do about them.

use std::fmt;

use tokio_postgres::error::SqlState;

use crate::metrics;

/// A failure of the database or of the connection to it. It is never the customer's fault.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The settings are invalid; an operator has to change them.
    #[error("database configuration: {0}")]
    Config(String),
    /// The database cannot be reached or is too busy. Nothing was done; a retry may succeed.
    #[error("the database is unavailable: {0}")]
    Unavailable(String),
    /// The disk of the server is full. Nothing was done.
    #[error("the disk of the database is full: {0}")]
    Full(String),
    /// The answer to COMMIT was lost or was an error. The work may or may not be done; only the data can tell.
    #[error("the outcome of a commit is unknown")]
    CommitUnknown(#[source] tokio_postgres::Error),
    /// The database was replaced by one that lacks something this process knows. The memory of the process may be
    /// wrong.
    #[error("{0}")]
    Replaced(&'static str),
    /// The server reads data from its disk that differ from what it wrote. An operator has to restore the database. The
    /// error is logged and counted where it is noticed, because callers can only be told to retry.
    #[error("the database is damaged: {0}")]
    Damaged(String),
    /// A statement failed; the database transaction was rolled back.
    #[error("a statement failed")]
    Statement(#[source] tokio_postgres::Error),
    /// The schema in the database is newer than this binary, or was changed by another program.
    #[error("migration: {0}")]
    Migration(String),
    /// A right is missing. A role that has it must grant it.
    #[error("the database denies it: {0}")]
    Denied(String),
    /// The embedded server could not be found, prepared, started or stopped.
    #[error("embedded PostgreSQL: {0}")]
    Embedded(String),
}

impl Error {
    /// Creates the error of a failed COMMIT. The outcome is unknown, whatever the SQLSTATE is.
    #[must_use]
    pub fn at_commit(source: tokio_postgres::Error) -> Self {
        Self::CommitUnknown(source)
    }

    /// Returns true if another attempt can succeed, perhaps on a new connection or by the next process: the request
    /// itself is not wrong.
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

/// Returns true if the server or the connection failed, not the statement: class 08 (connection), 53 (out of disk,
/// memory or connections), 57P0x (shutdown), 58030 (I/O), XX000 and 25006 (a standby).
fn is_outage(code: &SqlState) -> bool {
    let code = code.code();
    let classes = ["08", "53", "57P"];
    classes.iter().any(|class| code.starts_with(class)) || ["58030", "XX000", "25006"].contains(&code)
}

/// Returns true for a page that is missing or has a wrong checksum (XX001), an inconsistent index (XX002) and a missing
/// file (58P01).
fn is_damage(code: &SqlState) -> bool {
    ["XX001", "XX002", "58P01"].contains(&code.code())
}

/// Returns true for a serialization failure, a deadlock, a lock timeout and a statement timeout: a retry may succeed.
fn is_conflict(code: &SqlState) -> bool {
    ["40001", "40P01", "55P03", "57014"].contains(&code.code())
}

pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    Causes(error).to_string()
}

/// An error with all of its causes, on one line. JSON log lines show only the outermost error otherwise.
#[derive(Debug)]
pub struct Causes<'a>(pub &'a dyn std::error::Error);

impl fmt::Display for Causes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut said = self.0.to_string();
        let mut source = self.0.source();
        while let Some(cause) = source {
            let next = cause.to_string();
            // The text of some errors includes that of their cause.
            if !said.contains(&next) {
                said.push_str(": ");
                said.push_str(&next);
            }
            source = cause.source();
        }
        f.write_str(&said)
    }
}
