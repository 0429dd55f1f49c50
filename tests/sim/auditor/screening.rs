//! Screening in the auditor's model: the reasons that cancel or queue a transaction.

use daybook_domain::posting::Rail;
use daybook_domain::transaction::{CancelReason, QueueReason, WaitsFor};
use daybook_domain::user::Permission;
use daybook_domain::{Currency, NodeId, UserId};

use super::{Auditor, Deal, Side, is_closed};

/// Result of a screening.
pub(super) enum Found {
    Nothing,
    Reasons(Vec<QueueReason>, Vec<WaitsFor>),
    End(CancelReason),
}

impl Auditor {
    pub(super) fn screen(&self, deal: &Deal) -> Found {
        let place = |side: Side| side.node().and_then(|node| self.places.get(&node));
        let Some(sender) = place(deal.from) else { return Found::End(CancelReason::SenderNotAllowed) };
        if place(deal.to).is_none() {
            return Found::End(CancelReason::ReceiverNotAllowed);
        }
        if !sender.debit || matches!(deal.from.rail(), Some(Rail::Wire | Rail::Check)) {
            return Found::End(CancelReason::SenderNotAllowed);
        }
        let is_closed = |user: UserId| is_closed(self.people[&user].may);
        if is_closed(sender.owner) {
            return Found::End(CancelReason::SenderNotAllowed);
        }
        let takers: Vec<_> = deal.takers().map(|node| &self.places[&node]).collect();
        if takers.iter().any(|taker| is_closed(taker.owner)) {
            return Found::End(CancelReason::ReceiverNotAllowed);
        }
        let sends = match self.may(sender.owner) {
            Permission::SendAndReceive => true,
            Permission::Receive => takers.iter().all(|taker| Some(taker.owner) == self.boss),
            Permission::Unverified | Permission::Locked | Permission::Closed | Permission::MakeItGoAway => {
                false
            }
        };
        let receives = takers.iter().all(|taker| self.receives(taker.owner));
        let mut reasons = vec![];
        reasons.extend((!sends).then_some(QueueReason::SenderPermission));
        reasons.extend((!receives).then_some(QueueReason::ReceiverPermission));
        reasons.extend(sender.locked.then_some(QueueReason::SenderLocked));
        reasons.extend(takers.iter().any(|taker| taker.locked).then_some(QueueReason::ReceiverLocked));
        reasons.extend(self.exceeds_a_day(deal).then_some(QueueReason::DailyLimit));
        let waits = self.waits_for(deal);
        if reasons.is_empty() { Found::Nothing } else { Found::Reasons(reasons, waits) }
    }

    fn may(&self, user: UserId) -> Permission {
        let person = self.people[&user];
        if person.locked { Permission::Locked } else { person.may }
    }

    fn receives(&self, user: UserId) -> bool {
        matches!(self.may(user), Permission::SendAndReceive | Permission::Receive)
    }

    /// Returns the recipients of fees, other than the receiver, that cannot take their fee: first users, then nodes.
    fn waits_for(&self, deal: &Deal) -> Vec<WaitsFor> {
        let mut waits = vec![];
        for (node, _) in deal.fees.iter().filter(|(node, _)| deal.to.node() != Some(*node)) {
            let place = &self.places[node];
            waits.extend((!self.receives(place.owner)).then_some(WaitsFor::User(place.owner)));
            waits.extend(place.locked.then_some(WaitsFor::Node(*node)));
        }
        waits.sort();
        waits.dedup();
        waits
    }

    /// Returns true if the node can take money now.
    fn takes(&self, node: NodeId) -> bool {
        let place = &self.places[&node];
        place.active && !place.locked && self.receives(place.owner)
    }

    /// Returns the final recipients of fees. If a node cannot take its fee, the receiver gets it, or else the reserve.
    pub(super) fn takers_of_fees(&self, deal: &Deal) -> Vec<(NodeId, i64)> {
        let currency = deal.amount.currency;
        let mut more = 0;
        let taker = |&(node, amount): &(NodeId, i64)| {
            if self.takes(node) {
                return (node, amount);
            }
            let receiver = deal.to.held().filter(|receiver| self.takes(*receiver));
            let receiver = receiver.filter(|receiver| !self.fills_a_day(*receiver, currency, more + amount));
            more += if receiver.is_some() { amount } else { 0 };
            (receiver.or(self.reserve).unwrap_or(node), amount)
        };
        deal.fees.iter().map(taker).collect()
    }

    /// Returns true if the amount exceeds the daily limit of incoming money: today's incoming amounts, announced
    /// amounts, and this one.
    fn fills_a_day(&self, node: NodeId, currency: Currency, amount: i64) -> bool {
        let pending = self.purses.get(&(node, currency)).copied().unwrap_or_default().pending;
        above(self.limits_of(node, currency).daily_in, [self.today(node, currency).0, pending, amount])
    }

    /// Returns true if the transaction exceeds a daily limit: of the sender with today's outgoing and held amounts, or
    /// of a recipient.
    fn exceeds_a_day(&self, deal: &Deal) -> bool {
        let currency = deal.amount.currency;
        let purse = |node| self.purses.get(&(node, currency)).copied().unwrap_or_default();
        let out = deal.from.held().is_some_and(|node| {
            // A transaction with a hold of its own does not count the holds of other transactions.
            let promised = if deal.hold == 0 { purse(node).held } else { 0 };
            let limit = self.limits_of(node, currency).daily_out;
            above(limit, [self.today(node, currency).1, promised, deal.amount.minor])
        });
        out || deal.gifts().into_iter().any(|(node, amount)| self.fills_a_day(node, currency, amount))
    }

    /// Returns the amounts that a debit announces at once: those for recipients with a daily limit.
    pub(super) fn told_at_once(&self, deal: &Deal) -> Vec<(NodeId, i64)> {
        let is_limited = |node| self.limits_of(node, deal.amount.currency).daily_in.is_some();
        deal.gifts().into_iter().filter(|(node, amount)| *amount > 0 && is_limited(*node)).collect()
    }
}

fn above(limit: Option<i64>, parts: [i64; 3]) -> bool {
    limit.is_some_and(|limit| parts.into_iter().map(i128::from).sum::<i128>() > i128::from(limit))
}
