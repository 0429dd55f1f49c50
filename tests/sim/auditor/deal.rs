//! A transaction as the auditor knows it.

use std::collections::BTreeMap;

use daybook_domain::calendar::ReturnCode;
use daybook_domain::posting::{LedgerAccount, Rail};
use daybook_domain::transaction::{CancelReason, QueueReason, Status, WaitsFor};
use daybook_domain::{Money, NodeId};

use super::Direction;

/// A side of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// A node whose money is here.
    Held(NodeId),
    /// A node outside.
    Away(NodeId, Rail),
    /// Somebody outside without a node.
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
    /// Nodes of fees, and their owners, that it waits for.
    pub waits: Vec<WaitsFor>,
    pub queued: Option<i64>,
    pub hold: i64,
    pub pending: i64,
    /// What was told with the debit to those whose day is limited.
    pub told: BTreeMap<NodeId, i64>,
    /// Where its money lies; a debit is positive.
    pub lies: BTreeMap<LedgerAccount, i64>,
    /// What the bank's statements did about that.
    pub stated: BTreeMap<LedgerAccount, i64>,
    pub filed: Vec<Direction>,
    pub process_on: i64,
    pub moved: i64,
    pub ended: Option<CancelReason>,
    /// Why it came back.
    pub code: Option<ReturnCode>,
    /// For the how-manyth time it presents a pull.
    pub again: u8,
}

impl Deal {
    /// What the receiver gets.
    pub(crate) fn net(&self) -> i64 {
        self.amount.minor - self.fees.iter().map(|(_, fee)| fee).sum::<i64>()
    }

    /// The nodes that get something, the receiver's first.
    pub(super) fn takers(&self) -> impl Iterator<Item = NodeId> {
        self.to.node().into_iter().chain(self.fees.iter().map(|(node, _)| *node))
    }

    /// What comes to each account of ours.
    pub(super) fn gifts(&self) -> BTreeMap<NodeId, i64> {
        let mut gifts = BTreeMap::new();
        let receiver = self.to.held().map(|node| (node, self.net()));
        for (node, amount) in receiver.into_iter().chain(self.fees.iter().copied()) {
            *gifts.entry(node).or_default() += amount;
        }
        gifts
    }

    /// The leg that has to go into a file next.
    pub(crate) fn leg(&self) -> Option<(Direction, Rail)> {
        let leg = |direction, side| match side {
            Side::Away(_, rail) if !self.filed.contains(&direction) => Some((direction, rail)),
            _ => None,
        };
        let push = || leg(Direction::Push, self.to).filter(|_| self.net() > 0);
        match self.status {
            Status::ProcessingDebit => leg(Direction::Pull, self.from),
            Status::ProcessingCredit | Status::Settled => leg(Direction::Pull, self.from).or_else(push),
            // What was pulled is here although the transaction is over: it is paid back.
            Status::Returned
                if self.left(Direction::Pull) && !self.lies.contains_key(&LedgerAccount::ReturnOut) =>
            {
                leg(Direction::Refund, self.from)
            }
            Status::Returned | Status::Queued | Status::Created | Status::Canceled => None,
        }
    }

    /// Whether the money of this leg is gone: nothing but a return brings it back.
    pub(crate) fn left(&self, direction: Direction) -> bool {
        let side = if direction == Direction::Push { self.to } else { self.from };
        matches!(side, Side::Outside(_)) || self.filed.contains(&direction)
    }
}
