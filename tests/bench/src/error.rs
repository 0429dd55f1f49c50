//! Failures of a measurement.

use daybook_cli::error::Error as Service;

/// A failure of a measurement.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The options contradict each other.
    #[error("{0}")]
    Usage(String),
    /// A run is not one to report.
    #[error("{0}")]
    Failed(String),
    /// The service under test failed.
    #[error(transparent)]
    Service(#[from] Service),
    /// The operating system says no.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// What fails in the service fails in a measurement of it.
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
