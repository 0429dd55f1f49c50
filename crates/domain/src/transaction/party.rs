//! The sides of a transaction.

use serde::{Deserialize, Serialize};

use crate::id::{NodeId, UserId};
use crate::money::Money;
use crate::node::NodeKind;
use crate::posting::Rail;

/// Who sends or receives. Names and nicknames are looked up when rendering, never copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Party {
    /// A node of the platform.
    Node {
        /// The node.
        id: NodeId,
        /// Its owner.
        user: UserId,
        /// Its type.
        kind: NodeKind,
    },
    /// Somebody outside, reached over a rail.
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

    /// The rail that reaches it; none if it is a node that holds money here.
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

    /// The node's owner, if it is one.
    #[must_use]
    pub const fn user(&self) -> Option<UserId> {
        match self {
            Self::Node { user, .. } => Some(*user),
            Self::Outside { .. } => None,
        }
    }
}

/// What somebody else gets out of a transaction's amount.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fee {
    /// Minor units of the transaction's currency, above zero.
    pub minor: i64,
    /// The LEDGER-US node that is credited when the transaction settles.
    pub to: NodeId,
}

impl Fee {
    /// What is left of `amount` after all of `fees`, in minor units: what the receiver gets.
    #[must_use]
    pub fn rest(amount: Money, fees: &[Self]) -> i64 {
        amount.minor.saturating_sub(fees.iter().map(|fee| fee.minor).sum())
    }
}
