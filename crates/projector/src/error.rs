//! What can go wrong with read models, by what a caller can do about it.

use daybook_domain::event::DecodeError;
use daybook_log::Shard;
use tokio_postgres::error::SqlState;

/// A failure of the read models; never the customer's fault.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An event that this binary cannot read: written by a newer one, or by something else.
    #[error("the event at position {position} cannot be decoded")]
    Undecodable {
        /// Where it is.
        position: u64,
        /// What is wrong with it.
        #[source]
        source: Undecodable,
    },
    /// An event does not continue its stream: it does not belong there, or one before it is missing.
    #[error("the event at position {position} does not continue its stream")]
    Broken {
        /// Where it is.
        position: u64,
    },
    /// The log ends before the place that its read models have come to: it was restored, or is another one.
    #[error("the read models stand at position {cursor}, the log ends at {head}")]
    Ahead {
        /// How far the read models have come.
        cursor: u64,
        /// Where the log ends.
        head: u64,
    },
    /// The projection has not come to the position that was asked about.
    #[error("the read models stand at position {cursor}, asked was about {position}")]
    Behind {
        /// How far the read models have come.
        cursor: u64,
        /// What was asked about.
        position: u64,
    },
    /// A page does not begin where the one before it ended.
    #[error("a page of the log begins at position {found} instead of {expected}")]
    Gap {
        /// Where it ought to begin.
        expected: u64,
        /// Where it begins.
        found: u64,
    },
    /// A row of a read model is not what this version writes.
    #[error("a row of {table} cannot be read")]
    Row {
        /// The table.
        table: &'static str,
        /// What the parser says.
        #[source]
        source: serde_json::Error,
    },
    /// A column of a read model does not hold what this version writes.
    #[error("a column of {table} cannot be read")]
    Misread {
        /// The table.
        table: &'static str,
    },
    /// A value of a row is not such as its column takes.
    #[error("a row cannot be written")]
    Unwritable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A statement touched fewer or more rows than it was given: there is no such shard, or somebody else wrote.
    #[error("{found} rows written instead of {expected} in shard {shard}")]
    RowCount {
        /// The shard.
        shard: Shard,
        /// How many rows there ought to be.
        expected: u64,
        /// How many there were.
        found: u64,
    },
    /// A newer binary made this version of a read model: the tables are there, the code is not.
    #[error("{version} is filled by fold {fold}, which this binary does not know")]
    UnknownFold {
        /// The version.
        version: String,
        /// What fills it.
        fold: u16,
    },
    /// A read model has no tables, and the login may not make any.
    #[error("the read model {0} has no tables: run daybook migrate as a login that may act as daybook_owner")]
    NoTables(&'static str),
    /// A platform was opened with a time zone that the tables of this binary do not have.
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
    /// Whether log or database are not to be had; anything else is about the data, or refused.
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

    /// Whether a table was not there: its version was dropped.
    pub(crate) fn is_dropped(&self) -> bool {
        let Self::Database(daybook_pg::Error::Statement(source)) = self else { return false };
        source.code() == Some(&SqlState::UNDEFINED_TABLE)
    }

    /// Whether the same question may be answered in a moment, if need be by the process that comes after this one: the
    /// database is away, replaced, or the projection behind; nothing is wrong with the data.
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

/// Why an event cannot be decoded.
#[derive(Debug, thiserror::Error)]
pub enum Undecodable {
    /// Its stream is of a kind that is not known here.
    #[error("unknown kind of stream {0}")]
    Kind(i16),
    /// It is of one kind of aggregate, its stream of another.
    #[error("an event of another kind than its stream")]
    Foreign,
    /// Its type is unknown or its data malformed.
    #[error(transparent)]
    Event(#[from] DecodeError),
}

impl From<tokio_postgres::Error> for Error {
    fn from(source: tokio_postgres::Error) -> Self {
        Self::Database(source.into())
    }
}
