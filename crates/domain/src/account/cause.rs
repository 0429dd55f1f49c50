//! Causes: the record that an account entry belongs to.

use std::fmt;
use std::str::FromStr;

use crate::aggregate::Key;
use crate::id::{BreakId, IdError, OperationId, TransactionId};
use crate::text::stored_as_text;

/// The record of which an entry is a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// A transaction.
    Transaction(TransactionId),
    /// An operator's journal entry.
    Operation(OperationId),
    /// A line of a bank's statement, matched with the account: a fee, interest, a loss.
    Break(BreakId),
}

impl Cause {
    /// The 128 bits of the cause's id.
    #[must_use]
    pub const fn as_u128(self) -> u128 {
        match self {
            Self::Transaction(id) => id.as_u128(),
            Self::Operation(id) => id.as_u128(),
            Self::Break(id) => id.as_u128(),
        }
    }

    /// Key of the stream that records the cause.
    #[must_use]
    pub fn key(self) -> Key {
        match self {
            Self::Transaction(id) => id.into(),
            Self::Operation(id) => id.into(),
            Self::Break(id) => id.into(),
        }
    }

    /// The transaction, if the cause is one.
    #[must_use]
    pub const fn transaction(self) -> Option<TransactionId> {
        match self {
            Self::Transaction(id) => Some(id),
            Self::Operation(_) | Self::Break(_) => None,
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transaction(id) => write!(f, "{id}"),
            Self::Operation(id) => write!(f, "operation:{id}"),
            Self::Break(id) => write!(f, "break:{id}"),
        }
    }
}

impl FromStr for Cause {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        match text.split_once(':') {
            Some(("operation", id)) => id.parse().map(Self::Operation),
            Some(("break", id)) => id.parse().map(Self::Break),
            _ => text.parse().map(Self::Transaction),
        }
    }
}

stored_as_text!(Cause);

impl From<TransactionId> for Cause {
    fn from(id: TransactionId) -> Self {
        Self::Transaction(id)
    }
}

impl From<OperationId> for Cause {
    fn from(id: OperationId) -> Self {
        Self::Operation(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cause_reads_back_from_its_name() {
        let causes = [
            Cause::from(TransactionId::from_u128(1)),
            Cause::from(OperationId::from_u128(1)),
            Cause::Break(BreakId::from_u128(1)),
        ];
        for cause in causes {
            assert_eq!(cause.to_string().parse(), Ok(cause));
        }
        for text in ["", "operation:", "operation", "1", "break:1", "node:"] {
            assert!(text.parse::<Cause>().is_err(), "{text}");
        }
    }
}
