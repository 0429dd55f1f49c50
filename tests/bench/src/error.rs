//! Failures of a measurement.

use daybook_cli::error::Error as Service;

/// A failure of a measurement.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The options contradict each other.
    #[error("{0}")]
    Usage(String),
    /// A run has no valid result.
    #[error("{0}")]
    Failed(String),
    /// The service under test failed.
    #[error(transparent)]
    Service(#[from] Service),
    /// An operation of the operating system failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// Converts errors of the service's crates into [`Error::Service`].
macro_rules! of_the_service {
    ($($error:ty),+ $(,)?) => {
        $(impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Self::Service(error.into())
            }
        })+
    };
}

of_the_service!(
    daybook_engine::StoresError,
    daybook_engine::access::AccessError,
    daybook_log::Error,
    daybook_pg::Error,
    daybook_projector::Error,
    daybook_projector::RebuildError,
    daybook_vault::Error,
);
