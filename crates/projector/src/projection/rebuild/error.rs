//! Errors of making, switching and dropping a version of a read model.

use crate::error::Error;
use crate::store::Model;
use crate::store::version::Version;

/// A failure to make, compare, switch or drop a version of a read model.
#[derive(Debug, thiserror::Error)]
pub enum RebuildError {
    /// The active version was not switched.
    #[error(transparent)]
    NotChosen(#[from] NotChosen),
    /// A version was not dropped.
    #[error(transparent)]
    NotDropped(#[from] NotDropped),
    /// The log or the database failed, or contains invalid data.
    #[error(transparent)]
    Failed(#[from] Error),
}

impl RebuildError {
    /// Returns true if a retry of the same step may succeed: see [`Error::is_transient`].
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Failed(error) => error.is_transient(),
            Self::NotChosen(_) | Self::NotDropped(_) => false,
        }
    }
}

impl From<daybook_pg::Error> for RebuildError {
    fn from(source: daybook_pg::Error) -> Self {
        Self::Failed(source.into())
    }
}

impl From<tokio_postgres::Error> for RebuildError {
    fn from(source: tokio_postgres::Error) -> Self {
        Self::Failed(source.into())
    }
}

/// Reason for which the active version was not switched, or a comparison was not made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotChosen {
    /// There is no version beside the active one.
    #[error("there is no version of {0} beside the active one")]
    None(Model),
    /// The tables of the read model contain the present state only, and no past one.
    #[error("the tables of {0} contain the present state only")]
    NoPast(Model),
    /// Another process dropped the version.
    #[error("{0} was dropped meanwhile")]
    Gone(Version),
    /// The version was not compared with the active one.
    #[error("{0} was not compared with the active version")]
    NotCompared(Version),
    /// The comparison found differences.
    #[error("{0} differs from what is read in {1} rows")]
    Differs(Version, u64),
    /// The version has columns that were not compared, and the caller did not name them as exceptions.
    #[error("these columns of {0} were not compared with the active version and are not named as exceptions: {columns}", columns = .1.join(", "))]
    NotNamed(Version, Vec<String>),
}

/// Reason for which a version was not dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotDropped {
    /// There is no version beside the active one, or none with this number.
    #[error("there is no such version of {0} to drop")]
    None(Model),
    /// The version is active.
    #[error("{0} is the active version")]
    Active(Version),
    /// Living processes have not reported that they know of the switch.
    #[error("{1} processes may still read {0}")]
    Awaited(Version, u64),
}
