//! Screening: the conditions that cancel or queue a transaction. They are checked when it is created, when it is due,
//! and while it is queued.

use std::collections::BTreeSet;

use super::recipient::{Announcement, Recipient, Recipients};
use super::{CancelReason, Party, QueueReason, WaitsFor, daily_limit};
use crate::aggregate::Key;
use crate::id::{AccountId, NodeId, PlatformId};
use crate::money::Money;
use crate::node::Node;
use crate::state::States;
use crate::time::Timestamp;
use crate::user::User;

/// Outcome of a screening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ScreeningOutcome {
    /// The transaction may go on.
    Pass,
    /// The transaction is queued until all of these reasons are removed.
    Queue(Blockers),
    /// The transaction is canceled.
    Cancel(CancelReason),
}

/// Reasons that block a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Blockers {
    /// All reasons, at least one.
    pub reasons: Vec<QueueReason>,
    /// Nodes of fees, and their owners, that have to change.
    pub waits_for: Vec<WaitsFor>,
}

/// The values of a transaction that are screened.
pub(super) struct Screened<'a> {
    pub platform: PlatformId,
    pub from: &'a Party,
    pub to: &'a Party,
    /// Amount that the sender pays.
    pub amount: Money,
    /// All recipients; each is screened like the receiver.
    pub recipients: Recipients,
    /// Minor units already held for it on the sender's account.
    pub hold: i64,
}

impl Screened<'_> {
    /// Keys of the aggregates that screening reads.
    pub(super) fn needs(&self, states: &impl States) -> Vec<Key> {
        let currency = self.amount.currency;
        let account = |node| Key::from(AccountId::of(node, currency));
        let mut keys = self.recipients.needs(states, currency);
        keys.extend([self.from, self.to].iter().filter_map(|side| side.user().map(Key::from)));
        keys.extend(self.from.node().map(Key::from));
        keys.extend(self.from.held().map(account));
        keys.push(self.platform.into());
        keys
    }

    /// Screens the values. A node whose state is missing may neither send nor receive.
    pub(super) fn verdict(&self, states: &impl States, at: Timestamp) -> ScreeningOutcome {
        let is_closed = |owner: Option<&User>| owner.is_some_and(|user| user.permitted.is_closed());
        let Some(sender) = self.from.node().and_then(|id| states.node(id)) else {
            return ScreeningOutcome::Cancel(CancelReason::SenderNotAllowed);
        };
        // Only ACH accounts outside can be pulled from; wires and checks only push.
        let can_pull = sender.kind.rail().is_none_or(|rail| rail == crate::posting::Rail::Ach);
        if !sender.permitted.debit() || !can_pull || is_closed(states.user(sender.user)) {
            return ScreeningOutcome::Cancel(CancelReason::SenderNotAllowed);
        }
        let refuses = |it: &Recipient| {
            let allows = states.node(it.node).is_some_and(|node| node.permitted.credit());
            !allows || is_closed(it.owner(states))
        };
        if self.to.node().is_none() || self.recipients.iter().any(refuses) {
            return ScreeningOutcome::Cancel(CancelReason::ReceiverNotAllowed);
        }
        let (reasons, waits_for) = (self.reasons(states, sender, at), self.waits_for(states));
        if reasons.is_empty() {
            ScreeningOutcome::Pass
        } else {
            ScreeningOutcome::Queue(Blockers { reasons, waits_for })
        }
    }

    fn reasons(&self, states: &impl States, sender: &Node, at: Timestamp) -> Vec<QueueReason> {
        let is_any = |is_such: &dyn Fn(&Recipient) -> bool| self.recipients.iter().any(is_such);
        let owner = states.platform(self.platform).map(|platform| platform.user);
        let to_platform = owner.is_some_and(|owner| self.recipients.are_of(owner, states));
        let permission = states.user(sender.user).map(User::permission);
        let may_send = permission.is_some_and(|permission| permission.may_send(to_platform));
        let found = [
            (!may_send, QueueReason::SenderPermission),
            (is_any(&|it| !may_receive(it, states)), QueueReason::ReceiverPermission),
            (sender.is_locked, QueueReason::SenderLocked),
            (is_any(&|it| is_locked(it, states)), QueueReason::ReceiverLocked),
            (self.exceeds_daily_limit(states, at), QueueReason::DailyLimit),
        ];
        found.into_iter().filter_map(|(is_so, reason)| is_so.then_some(reason)).collect()
    }

    /// Nodes of fees, and their owners, that block the transaction. For sender and receiver, the reasons are enough.
    fn waits_for(&self, states: &impl States) -> Vec<WaitsFor> {
        let of_fees = || self.recipients.iter().filter(|it| Some(it.node) != self.to.node());
        let owner = |it: &Recipient| states.node(it.node).map(|node| WaitsFor::User(node.user));
        let owners = of_fees().filter(|it| !may_receive(it, states)).filter_map(owner);
        let nodes = of_fees().filter(|it| is_locked(it, states)).map(|it| WaitsFor::Node(it.node));
        let all: BTreeSet<_> = owners.chain(nodes).collect();
        all.into_iter().collect()
    }

    /// Returns true if the transaction would exceed a daily limit, of the sender or of a recipient. As long as it has
    /// no hold, the holds of other transactions count as well.
    fn exceeds_daily_limit(&self, states: &impl States, at: Timestamp) -> bool {
        let exceeds_limit_in = |(node, minor): (&NodeId, &i64)| {
            let more = Money::new(*minor, self.amount.currency);
            daily_limit::exceeds_limit_in(states, self.platform, *node, more, at)
        };
        let out = self.from.held().is_some_and(|node| {
            daily_limit::exceeds_limit_out(states, self.platform, node, self.amount, self.hold, at)
        });
        out || self.recipients.totals().iter().any(exceeds_limit_in)
    }
}

fn may_receive(recipient: &Recipient, states: &impl States) -> bool {
    recipient.owner(states).is_some_and(|owner| owner.permission().may_receive())
}

fn is_locked(recipient: &Recipient, states: &impl States) -> bool {
    states.node(recipient.node).is_none_or(|node| node.is_locked)
}

impl super::Transaction {
    /// The values of the transaction that are screened.
    pub(super) fn screened(&self) -> Screened<'_> {
        Screened {
            platform: self.platform,
            from: &self.from,
            to: &self.to,
            amount: self.amount,
            recipients: self.recipients(),
            hold: self.hold,
        }
    }

    /// Announcements of the debit: to accounts whose daily limits count them from then on.
    pub(super) fn announcements(&self, states: &impl States) -> Vec<Announcement> {
        let currency = self.amount.currency;
        let is_limited =
            |node: NodeId| daily_limit::daily_in(states, self.platform, node, currency).is_some();
        let limited =
            self.recipients().totals().into_iter().filter(|(node, minor)| *minor > 0 && is_limited(*node));
        limited.map(|(node, minor)| Announcement { node, minor }).collect()
    }
}
