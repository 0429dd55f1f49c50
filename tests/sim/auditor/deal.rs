//! A transaction in the auditor's model.

use std::collections::BTreeMap;

use daybook_domain::calendar::ReturnCode;
use daybook_domain::posting::{LedgerAccount, Rail};
use daybook_domain::transaction::{CancelReason, QueueReason, Status, WaitsFor};
use daybook_domain::{Money, NodeId};

use super::Direction;

/// One side of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// A held node: its money is kept in the ledger.
    Held(NodeId),
    /// An external node, reached over a rail.
    Away(NodeId, Rail),
    /// An external party without a node.
    Outside(Rail),
}

impl Side {
    pub(super) fn held(self) -> Option<NodeId> {
        if let Self::Held(node) = self { Some(node) } else { None }
    }

    pub(crate) fn node(self) -> Option<NodeId> {
        match self {
            Self::Held(node) | Self::Away(node, _) => Some(node),
            Self::Outside(_) => None,
        }
    }

    pub(crate) fn rail(self) -> Option<Rail> {
        match self {
            Self::Away(_, rail) | Self::Outside(rail) => Some(rail),
            Self::Held(_) => None,
        }
    }
}

/// A transaction.
#[derive(Clone, Debug)]
pub(crate) struct Deal {
    pub from: Side,
    pub to: Side,
    pub amount: Money,
    pub fees: Vec<(NodeId, i64)>,
    pub status: Status,
    pub reasons: Vec<QueueReason>,
    /// Nodes that receive fees, and their owners, that the transaction waits for.
    pub waits: Vec<WaitsFor>,
    pub queued: Option<i64>,
    pub hold: i64,
    pub pending: i64,
    /// Amounts that the debit announced to recipients with a daily limit.
    pub told: BTreeMap<NodeId, i64>,
    /// Accounts that contain its money; a debit is positive.
    pub lies: BTreeMap<LedgerAccount, i64>,
    /// Changes of these accounts by bank statements.
    pub stated: BTreeMap<LedgerAccount, i64>,
    pub filed: Vec<Direction>,
    pub process_on: i64,
    pub moved: i64,
    pub ended: Option<CancelReason>,
    /// Code of its return.
    pub code: Option<ReturnCode>,
    /// Number of this presentment of a pull: 0 for the first, 1 and 2 for repeated ones.
    pub again: u8,
}

impl Deal {
    /// Returns the amount for the receiver.
    pub(crate) fn net(&self) -> i64 {
        self.amount.minor - self.fees.iter().map(|(_, fee)| fee).sum::<i64>()
    }

    /// Returns the nodes that get money, the receiver's first.
    pub(super) fn takers(&self) -> impl Iterator<Item = NodeId> {
        self.to.node().into_iter().chain(self.fees.iter().map(|(node, _)| *node))
    }

    /// Returns the amount for each held node.
    pub(super) fn gifts(&self) -> BTreeMap<NodeId, i64> {
        let mut gifts = BTreeMap::new();
        let receiver = self.to.held().map(|node| (node, self.net()));
        for (node, amount) in receiver.into_iter().chain(self.fees.iter().copied()) {
            *gifts.entry(node).or_default() += amount;
        }
        gifts
    }

    /// Returns the leg that has to be put into a file next.
    pub(crate) fn leg(&self) -> Option<(Direction, Rail)> {
        let leg = |direction, side| match side {
            Side::Away(_, rail) if !self.filed.contains(&direction) => Some((direction, rail)),
            _ => None,
        };
        let push = || leg(Direction::Push, self.to).filter(|_| self.net() > 0);
        match self.status {
            Status::ProcessingDebit => leg(Direction::Pull, self.from),
            Status::ProcessingCredit | Status::Settled => leg(Direction::Pull, self.from).or_else(push),
            // Money that was pulled although the transaction is over is paid back.
            Status::Returned
                if self.left(Direction::Pull) && !self.lies.contains_key(&LedgerAccount::ReturnOut) =>
            {
                leg(Direction::Refund, self.from)
            }
            Status::Returned | Status::Queued | Status::Created | Status::Canceled => None,
        }
    }

    /// Returns true if the money of this leg has left the ledger, so that only a return brings it back.
    pub(crate) fn left(&self, direction: Direction) -> bool {
        let side = if direction == Direction::Push { self.to } else { self.from };
        matches!(side, Side::Outside(_)) || self.filed.contains(&direction)
    }
}
