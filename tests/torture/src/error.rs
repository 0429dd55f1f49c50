//! Errors of the harness: reasons why a run could not be made. A failed check is a finding, not an error.

/// Failure of something that a run needs.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An operation of the operating system failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// PostgreSQL failed or is unavailable.
    #[error(transparent)]
    Pg(#[from] daybook_pg::Error),
    /// A statement of the harness failed.
    #[error("{}", .0.as_db_error().map_or_else(|| .0.to_string(), ToString::to_string))]
    Sql(#[from] tokio_postgres::Error),
    /// A document is not the JSON that is expected.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// Any other failure, as a sentence.
    #[error("{0}")]
    Failed(String),
}

/// Result of the functions of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Creates an error from a sentence.
pub fn failed(what: impl std::fmt::Display) -> Error {
    Error::Failed(what.to_string())
}
