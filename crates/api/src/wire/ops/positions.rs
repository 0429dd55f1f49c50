//! Positions of the log at which a report was made.

use std::collections::BTreeMap;

use daybook_engine::Shard;

/// Position of one shard, or of each of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Positions {
    /// The position of the only shard of the report.
    One(u64),
    /// The position of each shard by its number.
    Several(BTreeMap<Shard, u64>),
}

impl Positions {
    /// Splits the positions into the two fields of a record, of which one is absent.
    #[must_use]
    pub fn fields(self) -> (Option<u64>, Option<BTreeMap<Shard, u64>>) {
        match self {
            Self::One(position) => (Some(position), None),
            Self::Several(positions) => (None, Some(positions)),
        }
    }
}

impl From<u64> for Positions {
    fn from(position: u64) -> Self {
        Self::One(position)
    }
}

/// The only position if there is one shard, else all of them.
impl From<BTreeMap<Shard, u64>> for Positions {
    fn from(positions: BTreeMap<Shard, u64>) -> Self {
        match positions.values().next() {
            Some(position) if positions.len() == 1 => Self::One(*position),
            _ => Self::Several(positions),
        }
    }
}
