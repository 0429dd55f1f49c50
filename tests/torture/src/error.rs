//! Why a run could not be made; that a check failed is no error but a finding.

/// Something that a run needs was not to be had.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operating system says no.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// PostgreSQL is not to be had.
    #[error(transparent)]
    Pg(#[from] daybook_pg::Error),
    /// A statement of the harness failed.
    #[error("{}", .0.as_db_error().map_or_else(|| .0.to_string(), ToString::to_string))]
    Sql(#[from] tokio_postgres::Error),
    /// What was read is no JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// Anything else, as a sentence.
    #[error("{0}")]
    Failed(String),
}

/// What can go wrong here.
pub type Result<T> = std::result::Result<T, Error>;

/// An error that is a sentence.
pub fn failed(what: impl std::fmt::Display) -> Error {
    Error::Failed(what.to_string())
}
