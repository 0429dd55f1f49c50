//! Screening: what may stop or hold back a transaction, looked at when it is created, when it is due, and when it was
//! held back.

use super::{CancelReason, Party, QueueReason};
use crate::aggregate::Key;
use crate::id::{AccountId, NodeId, PlatformId, UserId};
use crate::money::Money;
use crate::node::Node;
use crate::platform::{Limits, policy};
use crate::state::States;
use crate::time::Timestamp;

/// What screening found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing stands against it.
    Pass,
    /// It waits until all of these are cleared.
    Queue(Vec<QueueReason>),
    /// It ends.
    Cancel(CancelReason),
}

/// What is screened.
#[derive(Clone, Copy)]
pub(super) struct Screened<'a> {
    pub platform: PlatformId,
    pub from: &'a Party,
    pub to: &'a Party,
    /// What the sender gives.
    pub amount: Money,
    /// What the receiver gets, in minor units.
    pub net_minor: i64,
    /// What is held on the sender's account for it already.
    pub hold: i64,
}

impl Screened<'_> {
    /// The states that screening looks at.
    pub(super) fn needs(&self) -> Vec<Key> {
        let sides = [self.from, self.to];
        let nodes = sides.iter().filter_map(|side| side.node().map(Key::from));
        let users = sides.iter().filter_map(|side| side.user().map(Key::from));
        let accounts = sides.iter().filter_map(|side| side.held());
        let accounts = accounts.map(|node| Key::from(AccountId::of(node, self.amount.currency)));
        nodes.chain(users).chain(accounts).chain([self.platform.into()]).collect()
    }

    /// Screens. A side that cannot be looked at may neither send nor receive.
    pub(super) fn verdict(&self, states: &impl States, at: Timestamp) -> Verdict {
        let node = |party: &Party| party.node().and_then(|id| states.node(id));
        let Some(sender) = node(self.from) else { return Verdict::Cancel(CancelReason::SenderNotAllowed) };
        let Some(receiver) = node(self.to) else { return Verdict::Cancel(CancelReason::ReceiverNotAllowed) };
        // Money is pulled from bank accounts only; nobody has ever pulled a check back.
        let can_pull = sender.kind.rail().is_none_or(|rail| rail == crate::posting::Rail::Ach);
        let is_closed = |id: UserId| states.user(id).is_some_and(|user| user.permitted.is_closed());
        if !sender.permitted.debit() || !can_pull || is_closed(sender.user) {
            return Verdict::Cancel(CancelReason::SenderNotAllowed);
        }
        if !receiver.permitted.credit() || is_closed(receiver.user) {
            return Verdict::Cancel(CancelReason::ReceiverNotAllowed);
        }
        let reasons = self.reasons(states, sender, receiver, at);
        if reasons.is_empty() { Verdict::Pass } else { Verdict::Queue(reasons) }
    }

    fn reasons(
        &self,
        states: &impl States,
        sender: &Node,
        receiver: &Node,
        at: Timestamp,
    ) -> Vec<QueueReason> {
        let platform_user = states.platform(self.platform).map(|platform| platform.user);
        let to_platform = Some(receiver.user) == platform_user;
        let permission = |id: UserId| states.user(id).map(crate::user::User::permission);
        let may_send = permission(sender.user).is_some_and(|permission| permission.may_send(to_platform));
        let may_receive = permission(receiver.user).is_some_and(crate::user::Permission::may_receive);
        let found = [
            (!may_send, QueueReason::SenderPermission),
            (!may_receive, QueueReason::ReceiverPermission),
            (sender.is_locked, QueueReason::SenderLocked),
            (receiver.is_locked, QueueReason::ReceiverLocked),
            (self.exceeds_a_day(states, at), QueueReason::DailyLimit),
        ];
        found.into_iter().filter_map(|(is_so, reason)| is_so.then_some(reason)).collect()
    }

    /// Whether it would bring more into or out of an account than its limits let through on one day; before it has a
    /// promise of its own, what is promised to others included.
    fn exceeds_a_day(&self, states: &impl States, at: Timestamp) -> bool {
        let account = |node: NodeId| states.account(node, self.amount.currency);
        let limits = |node: NodeId| policy::limits(states, self.platform, node, self.amount.currency);
        let exceeds = |limit: Option<i64>, parts: [i64; 3]| {
            let sum: i128 = parts.into_iter().map(i128::from).sum();
            limit.is_some_and(|limit| sum > i128::from(limit))
        };
        let out = self.from.held().is_some_and(|node| {
            let (account, Limits { daily_out, .. }) = (account(node), limits(node));
            // What is promised to itself stands behind nothing: two that are held for would hold each other back.
            let promised = if self.hold == 0 { account.held } else { 0 };
            exceeds(daily_out, [account.today(at).1, promised, self.amount.minor])
        });
        let into = self.to.held().is_some_and(|node| {
            let (account, Limits { daily_in, .. }) = (account(node), limits(node));
            exceeds(daily_in, [account.today(at).0, account.pending_in, self.net_minor])
        });
        out || into
    }
}

impl super::Transaction {
    /// What of it is screened.
    pub(super) fn screened(&self) -> Screened<'_> {
        Screened {
            platform: self.platform,
            from: &self.from,
            to: &self.to,
            amount: self.amount,
            net_minor: self.net_minor(),
            hold: self.hold,
        }
    }
}
