//! Errors of the read models. The variants differ in what a caller can do about them.

use daybook_domain::event::DecodeError;
use daybook_log::Shard;
use tokio_postgres::error::SqlState;

/// A failure of the read models. It is never caused by the request of a customer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An event that this binary cannot decode: a newer binary or another program wrote it.
    #[error("the event at position {position} cannot be decoded")]
    Undecodable {
        /// Position of the event.
        position: u64,
        /// The reason.
        #[source]
        source: Undecodable,
    },
    /// An event does not continue its stream: it does not belong to the stream, or an earlier event is missing.
    #[error("the event at position {position} does not continue its stream")]
    Broken {
        /// Position of the event.
        position: u64,
    },
    /// The log ends before the cursor of its read models: it was restored to an older state, or is another log.
    #[error("the read models stand at position {cursor}, the log ends at {head}")]
    Ahead {
        /// Position of the cursor.
        cursor: u64,
        /// Last position of the log.
        head: u64,
    },
    /// The projection has not reached the position of the query.
    #[error("the read models stand at position {cursor}, the query is about {position}")]
    Behind {
        /// Position of the cursor.
        cursor: u64,
        /// Position of the query.
        position: u64,
    },
    /// A page of the log does not begin directly after the page before it.
    #[error("a page of the log begins at position {found} instead of {expected}")]
    Gap {
        /// Position at which it should begin.
        expected: u64,
        /// Position at which it begins.
        found: u64,
    },
    /// A row of a read model does not have the form that its version writes.
    #[error("a row of {table} cannot be read")]
    Row {
        /// The table.
        table: &'static str,
        /// The error of the parser.
        #[source]
        source: serde_json::Error,
    },
    /// A column of a read model contains a value that its version does not write.
    #[error("a column of {table} cannot be read")]
    Misread {
        /// The table.
        table: &'static str,
    },
    /// A value of a row does not fit its column.
    #[error("a row cannot be written")]
    Unwritable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A statement changed fewer or more rows than expected: the shard does not exist, or another process wrote the
    /// table.
    #[error("{found} rows written instead of {expected} in shard {shard}")]
    RowCount {
        /// The shard.
        shard: Shard,
        /// Number of rows that were expected.
        expected: u64,
        /// Number of rows that were changed.
        found: u64,
    },
    /// A newer binary made this version of a read model. The tables exist, but this binary lacks the code that fills
    /// them.
    #[error("{version} is filled by fold {fold}, which this binary does not know")]
    UnknownFold {
        /// The version.
        version: String,
        /// Number of the fold that fills it.
        fold: u16,
    },
    /// A read model has no tables, and the login may not create any.
    #[error("the read model {0} has no tables: run daybook migrate as a login that may act as daybook_owner")]
    NoTables(&'static str),
    /// A platform was opened with a time zone that the tables of this binary do not contain.
    #[error("no time zone of this binary has the name {0}")]
    UnknownTimeZone(String),
    /// The log failed.
    #[error(transparent)]
    Log(#[from] daybook_log::Error),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] daybook_pg::Error),
}

impl Error {
    /// Returns true if the log or the database is unavailable. Any other error concerns the data, or is a rejection.
    #[must_use]
    pub fn is_outage(&self) -> bool {
        match self {
            Self::Log(error) => error.is_outage(),
            Self::Database(error) => !matches!(error, daybook_pg::Error::Damaged(_)),
            Self::Behind { .. } => true,
            Self::Undecodable { .. }
            | Self::Broken { .. }
            | Self::Ahead { .. }
            | Self::Gap { .. }
            | Self::Row { .. }
            | Self::Misread { .. }
            | Self::Unwritable(_)
            | Self::NoTables(_)
            | Self::UnknownFold { .. }
            | Self::UnknownTimeZone(_)
            | Self::RowCount { .. } => false,
        }
    }

    /// Returns true if a table did not exist because its version was dropped.
    pub(crate) fn is_dropped(&self) -> bool {
        let Self::Database(daybook_pg::Error::Statement(source)) = self else { return false };
        source.code() == Some(&SqlState::UNDEFINED_TABLE)
    }

    /// Returns true if a retry may succeed, in this process or in the one that replaces it: the database is unavailable
    /// or was replaced, or the projection is behind. Nothing is wrong with the data.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        if let Self::Log(error) = self {
            return matches!(error, daybook_log::Error::Unavailable(_) | daybook_log::Error::Replaced { .. });
        }
        if let Self::Database(error) = self {
            return error.is_transient();
        }
        self.is_outage()
    }
}

/// Reason for which an event cannot be decoded.
#[derive(Debug, thiserror::Error)]
pub enum Undecodable {
    /// Its stream is of an unknown kind.
    #[error("unknown kind of stream {0}")]
    Kind(i16),
    /// Its kind of aggregate is not that of its stream.
    #[error("an event of another kind than its stream")]
    Foreign,
    /// Its type is unknown or its data are malformed.
    #[error(transparent)]
    Event(#[from] DecodeError),
}

impl From<tokio_postgres::Error> for Error {
    fn from(source: tokio_postgres::Error) -> Self {
        Self::Database(source.into())
    }
}
