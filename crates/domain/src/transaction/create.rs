//! Create a transaction: answers whether the request is well formed and the caller may make it. Whether money may
//! move is found out by screening, in the same decision, and again when it is due.

use super::event::{Canceled, Created};
use super::{CancelReason, Fee, Party, Refusal};
use crate::account::Limit;
use crate::aggregate::{Fact, Key};
use crate::id::{AccountId, NodeId, PlatformId, TransactionId, UserId};
use crate::money::Money;
use crate::movement;
use crate::node::{self, Node, NodeKind};
use crate::sealed::Sealed;
use crate::state::States;
use crate::time::{DAY_MS, Timestamp};

/// Asks for a new transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Create {
    /// The id that it shall have.
    pub id: TransactionId,
    /// The platform of the caller.
    pub platform: PlatformId,
    /// The caller.
    pub by: UserId,
    /// The sender; must be the caller's.
    pub from: NodeId,
    /// The receiver.
    pub to: NodeId,
    /// The type that the caller takes the receiver for.
    pub to_kind: NodeKind,
    /// What the sender gives.
    pub amount: Money,
    /// What others get out of it.
    pub fees: Vec<Fee>,
    /// Days from now after which it is processed.
    pub in_days: u16,
    /// Milliseconds from each step to the next.
    pub pace_ms: i64,
    /// The call also carried the platform's own credentials.
    pub by_gateway: bool,
    /// Box, class profile of the caller: note, supplied id, IP, notes of fees.
    pub details: Sealed,
}

impl Create {
    /// The states that the decision looks at, as far as they can be told from those at hand.
    #[must_use]
    pub fn needs(&self, states: &impl States) -> Vec<Key> {
        let sides = [self.from, self.to];
        let owners = sides.into_iter().filter_map(|id| Some(Key::from(states.node(id)?.user)));
        let nodes = sides.into_iter().chain(self.fees.iter().map(|fee| fee.to)).map(Key::from);
        let account = AccountId::of(self.from, self.amount.currency);
        nodes.chain(owners).chain([account.into(), self.id.into()]).collect()
    }

    /// Decides. The same command again changes nothing.
    pub fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<Fact>, crate::Refusal> {
        if states.transaction(self.id).is_some() {
            return Ok(vec![]);
        }
        let (sender, receiver) = self.parties(states)?;
        self.check_amounts(states)?;
        if sender.gateway_restricted && !self.by_gateway {
            return Err(Refusal::GatewayOnly.into());
        }
        if !sender.kind.is_held() || !receiver.kind.is_held() {
            return Err(Refusal::NoRail(sender.kind, receiver.kind).into());
        }
        if let Some(reason) = screen(sender, receiver) {
            let canceled = Canceled { reason, postings: None };
            return Ok(vec![
                Fact::new(self.id, self.created(sender, receiver, at, 0)),
                Fact::new(self.id, canceled),
            ]);
        }
        Ok(self.hold_if_covered(states, sender, receiver, at))
    }

    fn parties<'a>(&self, states: &'a impl States) -> Result<(&'a Node, &'a Node), crate::Refusal> {
        let sender = node::create::find(states, self.platform, self.from)?;
        if sender.user != self.by || !sender.is_active {
            return Err(node::Refusal::Unknown.into());
        }
        if self.from == self.to {
            return Err(Refusal::SameNode.into());
        }
        let receiver =
            node::create::find(states, self.platform, self.to).map_err(|_| Refusal::UnknownReceiver)?;
        if receiver.kind != self.to_kind {
            return Err(Refusal::ReceiverType(receiver.kind).into());
        }
        Ok((sender, receiver))
    }

    fn check_amounts(&self, states: &impl States) -> Result<(), Refusal> {
        for fee in &self.fees {
            let node =
                node::create::find(states, self.platform, fee.to).map_err(|_| Refusal::UnknownFeeNode)?;
            if node.kind != NodeKind::LedgerUs {
                return Err(Refusal::FeeNodeType);
            }
        }
        // Turned around, a payment would take from its receiver.
        if !self.amount.may_move() || self.fees.iter().any(|fee| fee.minor <= 0) {
            return Err(Refusal::OutOfRange);
        }
        let fees: i128 = self.fees.iter().map(|fee| i128::from(fee.minor)).sum();
        if fees > i128::from(self.amount.minor) { Err(Refusal::FeesExceedAmount) } else { Ok(()) }
    }

    /// Due today and covered: held in this very decision, so the first created is the first served.
    fn hold_if_covered(
        &self,
        states: &impl States,
        sender: &Node,
        receiver: &Node,
        at: Timestamp,
    ) -> Vec<Fact> {
        let entries = || {
            let hold = movement::hold(self.from, self.amount);
            hold.entries(states, self.amount.currency, Limit::Zero, self.id).ok()
        };
        let entries = if self.in_days == 0 { entries() } else { None };
        let held = if entries.is_some() { self.amount.minor } else { 0 };
        let created = Fact::new(self.id, self.created(sender, receiver, at, held));
        std::iter::once(created).chain(entries.into_iter().flatten()).collect()
    }

    fn created(&self, sender: &Node, receiver: &Node, at: Timestamp, hold: i64) -> Created {
        Created {
            platform: self.platform,
            from: Party::Node { id: self.from, user: sender.user, kind: sender.kind },
            to: Party::Node { id: self.to, user: receiver.user, kind: receiver.kind },
            subject: self.by,
            amount: self.amount,
            fees: self.fees.clone(),
            hold,
            process_on: at.plus_ms(i64::from(self.in_days) * DAY_MS),
            pace_ms: self.pace_ms,
            simulated: false,
            details: Some(self.details.clone()),
        }
    }
}

/// What stops a transaction whatever its owners' permissions are: the nodes themselves.
pub(super) fn screen(sender: &Node, receiver: &Node) -> Option<CancelReason> {
    if !sender.allowed.debit() {
        Some(CancelReason::SenderNotAllowed)
    } else if !receiver.allowed.credit() {
        Some(CancelReason::ReceiverNotAllowed)
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
