//! Create a transaction. The decision checks that the request is well formed and that the caller may make it. Screening
//! checks whether the money may move, in the same decision, and again when the transaction is due.

use super::event::{Canceled, Created, Queued};
use super::screening::{Blockers, Screened, ScreeningOutcome};
use super::{Fee, Party, Recipients, Refusal};
use crate::account::Shortfall;
use crate::actor::{Actor, Origin};
use crate::aggregate::{Key, NewEvent};
use crate::attachment::NewAttachment;
use crate::decide::Decide;
use crate::id::{AccountId, NodeId, PlatformId, TransactionId, UserId};
use crate::money::{Currency, Money};
use crate::movement::{self, PostingContext};
use crate::node::{self, Node, NodeKind};
use crate::platform;
use crate::posting::FormatLimit;
use crate::sealed::Sealed;
use crate::state::States;
use crate::time::{DAY_MS, Timestamp};
use crate::user;

/// Command to create a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Create {
    /// Id of the new transaction.
    pub id: TransactionId,
    /// Platform of the caller.
    pub platform: PlatformId,
    /// The calling user.
    pub by: UserId,
    /// The sending node, which the caller must own.
    pub from: NodeId,
    /// The receiving node.
    pub to: NodeId,
    /// Type of the receiving node, as the caller states it.
    pub to_kind: NodeKind,
    /// Amount that the sender pays.
    pub amount: Money,
    /// Fees, which are taken out of the amount.
    pub fees: Vec<Fee>,
    /// Number of days after which it may be processed.
    pub in_days: u16,
    /// Milliseconds from each step to the next.
    pub pace_ms: i64,
    /// True if the call also carried the platform's own credentials.
    pub by_gateway: bool,
    /// Attachments of the transaction.
    pub attachments: Vec<NewAttachment>,
    /// Sealed box, class profile, of the caller: note, supplied id, IP, notes of fees.
    pub details: Sealed,
}

impl Decide for Create {
    fn subject(&self) -> Key {
        self.id.into()
    }

    fn needs(&self, states: &impl States) -> Vec<Key> {
        let mut keys = Vec::with_capacity(8 + 3 * self.fees.len());
        keys.extend([Key::from(self.platform), self.id.into()]);
        for id in [self.from, self.to].into_iter().chain(self.fees.iter().map(|fee| fee.to)) {
            keys.push(id.into());
            if let Some(node) = states.node(id) {
                keys.push(node.user.into());
                let account = || Key::from(AccountId::of(id, self.amount.currency));
                keys.extend(node.kind.is_held().then(account));
            }
        }
        keys
    }

    /// Decides. The same command again changes nothing.
    fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        if states.transaction(self.id).is_some() {
            return Ok(vec![]);
        }
        let (sender, receiver) = self.parties(states)?;
        self.check_amounts(states)?;
        if sender.gateway_restricted && !self.by_gateway {
            return Err(Refusal::GatewayOnly.into());
        }
        let is_held = sender.kind.is_held() && receiver.kind.is_held();
        if !is_held && self.amount.currency != Currency::USD {
            return Err(Refusal::RailCurrency(self.amount.currency).into());
        }
        let created = self.created(sender, receiver, at);
        self.check_rails(&created)?;
        let origin = created.origin;
        let screened = Screened {
            platform: self.platform,
            from: &created.from,
            to: &created.to,
            amount: self.amount,
            recipients: Recipients::of(&created.to, self.amount, &self.fees),
            hold: 0,
        };
        let verdict = screened.verdict(states, at);
        if let ScreeningOutcome::Cancel(reason) = verdict {
            let canceled = Canceled { reason, postings: None, origin };
            return Ok(
                self.with_papers(vec![NewEvent::new(self.id, created), NewEvent::new(self.id, canceled)])
            );
        }
        let mut facts = self.hold_if_covered(states, created, at)?;
        if let ScreeningOutcome::Queue(Blockers { reasons, waits_for }) = verdict {
            facts.push(NewEvent::new(self.id, Queued { reasons, waits_for, origin }));
        }
        Ok(self.with_papers(facts))
    }

    fn platform_of_new(&self) -> Option<PlatformId> {
        Some(self.platform)
    }

    fn attachments(&self) -> &[NewAttachment] {
        &self.attachments
    }

    fn weight(&self) -> usize {
        self.details.bytes.len()
    }
}

impl Create {
    fn parties<'a>(&self, states: &'a impl States) -> Result<(&'a Node, &'a Node), crate::Refusal> {
        let sender = node::create::find_active(states, self.platform, self.from)?;
        if sender.user != self.by {
            return Err(node::Refusal::Unknown.into());
        }
        if states.user(self.by).is_some_and(|user| user.permitted.is_closed()) {
            return Err(user::Refusal::Closed.into());
        }
        if self.from == self.to {
            return Err(Refusal::SameNode.into());
        }
        let receiver = node::create::find_active(states, self.platform, self.to)
            .map_err(|_| Refusal::UnknownReceiver)?;
        if receiver.kind != self.to_kind {
            return Err(Refusal::ReceiverType(receiver.kind).into());
        }
        Ok((sender, receiver))
    }

    fn check_amounts(&self, states: &impl States) -> Result<(), crate::Refusal> {
        let platform = states.platform(self.platform).ok_or(platform::Refusal::Unknown)?;
        if !platform.policy.enables(self.amount.currency) {
            return Err(platform::Refusal::CurrencyDisabled.into());
        }
        for (index, fee) in self.fees.iter().enumerate() {
            let node = node::create::find_active(states, self.platform, fee.to)
                .map_err(|_| Refusal::UnknownFeeNode(index))?;
            if states.user(node.user).is_none_or(|owner| owner.permitted.is_closed()) {
                return Err(Refusal::UnknownFeeNode(index).into());
            }
            if node.kind != NodeKind::LedgerUs {
                return Err(Refusal::FeeNodeType(index).into());
            }
        }
        // With a negative amount, a payment would take from its receiver.
        if !self.amount.may_move() || self.fees.iter().any(|fee| fee.minor <= 0) {
            return Err(Refusal::OutOfRange.into());
        }
        let fees: i128 = self.fees.iter().map(|fee| i128::from(fee.minor)).sum();
        if fees > i128::from(self.amount.minor) { Err(Refusal::FeesExceedAmount.into()) } else { Ok(()) }
    }

    /// Checks the limits of the rails: the sender's rail takes the whole amount, the receiver's rail carries the amount
    /// less the fees.
    fn check_rails(&self, created: &Created) -> Result<(), Refusal> {
        let fees: i64 = self.fees.iter().map(|fee| fee.minor).sum();
        for (party, minor) in [(&created.from, self.amount.minor), (&created.to, self.amount.minor - fees)] {
            let Some((_, rail)) = party.external() else { continue };
            match FormatLimit::of(rail).entry {
                Some(most) if minor > most => {
                    let most = Money::new(most, self.amount.currency);
                    return Err(Refusal::TooMuchForRail { rail, most });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Holds the amount if it is due today and covered. The hold is part of this decision, so the first created is the
    /// first served.
    fn hold_if_covered(
        &self,
        states: &impl States,
        mut created: Created,
        at: Timestamp,
    ) -> Result<Vec<NewEvent>, crate::Refusal> {
        let Some(sender) = created.from.held().filter(|_| self.in_days == 0) else {
            return Ok(vec![NewEvent::new(self.id, created)]);
        };
        let context = PostingContext::forward(self.platform, self.id, at);
        match movement::hold(sender, self.amount).entries(states, self.amount.currency, context) {
            Ok(entries) => {
                created.hold = self.amount.minor;
                Ok(std::iter::once(NewEvent::new(self.id, created)).chain(entries).collect())
            }
            Err(shortfall) if self.rejects_unfunded(states) => Err(self.unfunded(shortfall).into()),
            Err(_) => Ok(vec![NewEvent::new(self.id, created)]),
        }
    }

    fn with_papers(&self, mut facts: Vec<NewEvent>) -> Vec<NewEvent> {
        facts.extend(self.attachments.iter().map(|attachment| attachment.added(self.platform, self.by)));
        facts
    }

    fn rejects_unfunded(&self, states: &impl States) -> bool {
        states.platform(self.platform).is_some_and(|platform| platform.policy.reject_unfunded)
    }

    fn unfunded(&self, shortfall: Shortfall) -> Refusal {
        Refusal::InsufficientBalance { shortfall, node: self.from, currency: self.amount.currency }
    }

    fn created(&self, sender: &Node, receiver: &Node, at: Timestamp) -> Created {
        Created {
            platform: self.platform,
            from: Party::Node { id: self.from, user: sender.user, kind: sender.kind },
            to: Party::Node { id: self.to, user: receiver.user, kind: receiver.kind },
            subject: self.by,
            amount: self.amount,
            fees: self.fees.clone(),
            hold: 0,
            process_on: at.plus_ms(i64::from(self.in_days) * DAY_MS),
            pace_ms: self.pace_ms,
            attachments: self.attachments.iter().map(|attachment| attachment.id).collect(),
            is_micro_deposit: false,
            again: 0,
            origin: Origin::of(Actor::User(self.by)),
            details: Some(self.details.clone()),
        }
    }
}

#[cfg(test)]
mod tests;
