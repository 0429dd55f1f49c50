//! Parties of a transaction.

use serde::{Deserialize, Serialize};

use crate::id::{NodeId, UserId};
use crate::money::Money;
use crate::node::NodeKind;
use crate::posting::Rail;

/// The sender or the receiver. Names and nicknames are read when rendering, never copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Party {
    /// A node of the platform.
    Node {
        /// The node.
        id: NodeId,
        /// Owner of the node.
        user: UserId,
        /// Type of the node.
        kind: NodeKind,
    },
    /// A party outside, reached over a rail.
    Outside {
        /// The rail.
        rail: Rail,
    },
}

impl Party {
    /// The node, if it is one.
    #[must_use]
    pub const fn node(&self) -> Option<NodeId> {
        match self {
            Self::Node { id, .. } => Some(*id),
            Self::Outside { .. } => None,
        }
    }

    /// The rail that reaches the party; `None` for a node that holds money here.
    #[must_use]
    pub const fn rail(&self) -> Option<Rail> {
        match self {
            Self::Node { kind, .. } => kind.rail(),
            Self::Outside { rail } => Some(*rail),
        }
    }

    /// The node, if it holds money here.
    #[must_use]
    pub const fn held(&self) -> Option<NodeId> {
        match self {
            Self::Node { id, kind, .. } if kind.is_held() => Some(*id),
            Self::Node { .. } | Self::Outside { .. } => None,
        }
    }

    /// The node and its rail, if a file has to name it: a node outside.
    #[must_use]
    pub const fn external(&self) -> Option<(NodeId, Rail)> {
        match self {
            Self::Node { id, kind, .. } => match kind.rail() {
                Some(rail) => Some((*id, rail)),
                None => None,
            },
            Self::Outside { .. } => None,
        }
    }

    /// The owner of the node, if the party is one.
    #[must_use]
    pub const fn user(&self) -> Option<UserId> {
        match self {
            Self::Node { user, .. } => Some(*user),
            Self::Outside { .. } => None,
        }
    }
}

/// A fee: a part of a transaction's amount that goes to another node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fee {
    /// Minor units of the transaction's currency, above zero.
    pub minor: i64,
    /// The LEDGER-US node that is credited when the transaction settles.
    pub to: NodeId,
}

impl Fee {
    /// Amount that the receiver gets, in minor units: `amount` less all of `fees`.
    #[must_use]
    pub fn rest(amount: Money, fees: &[Self]) -> i64 {
        amount.minor.saturating_sub(fees.iter().map(|fee| fee.minor).sum())
    }
}
