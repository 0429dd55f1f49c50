//! Why a version of a read model is not made, not read or not dropped.

use crate::error::Error;
use crate::store::Model;
use crate::store::version::Version;

/// A failure to make, compare, choose or drop a version of a read model.
#[derive(Debug, thiserror::Error)]
pub enum RebuildError {
    /// Another version is not read.
    #[error(transparent)]
    NotChosen(#[from] NotChosen),
    /// A version is not dropped.
    #[error(transparent)]
    NotDropped(#[from] NotDropped),
    /// The log, the database or what they hold is at fault.
    #[error(transparent)]
    Failed(#[from] Error),
}

impl RebuildError {
    /// Whether the same step may succeed in a moment: see [`Error::is_transient`].
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

/// Why another version is not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotChosen {
    /// No version stands beside the one that is read.
    #[error("there is no version of {0} to go to")]
    None(Model),
    /// Its tables tell of now alone.
    #[error("the tables of {0} tell of now alone")]
    NoPast(Model),
    /// Somebody has dropped it.
    #[error("{0} was dropped meanwhile")]
    Gone(Version),
    /// It was not compared with what is read.
    #[error("{0} was not compared with what is read")]
    NotCompared(Version),
    /// It was compared, and is not the same.
    #[error("{0} differs from what is read in {1} rows")]
    Differs(Version, u64),
    /// It has columns that no comparison looks at, and these were not named.
    #[error("these columns of {0} were not compared with what is read, and not named as such: {columns}", columns = .1.join(", "))]
    NotNamed(Version, Vec<String>),
}

/// Why a version is not dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotDropped {
    /// There is no version beside the one that is read, or none with this number.
    #[error("there is no such version of {0} to drop")]
    None(Model),
    /// It is the one that is read.
    #[error("{0} is read")]
    Active(Version),
    /// Processes that live have not said that they know of the switch.
    #[error("{1} processes may still read {0}")]
    Awaited(Version, u64),
}
