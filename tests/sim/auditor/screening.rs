//! Screening as the auditor sees it: what ends a transaction, and what holds it back.

use daybook_domain::UserId;
use daybook_domain::posting::Rail;
use daybook_domain::transaction::{CancelReason, QueueReason};
use daybook_domain::user::Permission;

use super::{Auditor, Deal, Side, is_closed};

/// What screening finds.
pub(super) enum Found {
    Nothing,
    Reasons(Vec<QueueReason>),
    End(CancelReason),
}

impl Auditor {
    pub(super) fn screen(&self, deal: &Deal) -> Found {
        let place = |side: Side| side.node().and_then(|node| self.places.get(&node));
        let Some(sender) = place(deal.from) else { return Found::End(CancelReason::SenderNotAllowed) };
        let Some(receiver) = place(deal.to) else { return Found::End(CancelReason::ReceiverNotAllowed) };
        if !sender.debit || matches!(deal.from.rail(), Some(Rail::Wire | Rail::Check)) {
            return Found::End(CancelReason::SenderNotAllowed);
        }
        let may = |user: UserId| {
            let person = self.people[&user];
            if person.locked { Permission::Locked } else { person.may }
        };
        let is_closed = |user: UserId| is_closed(self.people[&user].may);
        if is_closed(sender.owner) {
            return Found::End(CancelReason::SenderNotAllowed);
        }
        if is_closed(receiver.owner) {
            return Found::End(CancelReason::ReceiverNotAllowed);
        }
        let sends = match may(sender.owner) {
            Permission::SendAndReceive => true,
            Permission::Receive => Some(receiver.owner) == self.boss,
            Permission::Unverified | Permission::Locked | Permission::Closed | Permission::MakeItGoAway => {
                false
            }
        };
        let receives = matches!(may(receiver.owner), Permission::SendAndReceive | Permission::Receive);
        let mut reasons = vec![];
        reasons.extend((!sends).then_some(QueueReason::SenderPermission));
        reasons.extend((!receives).then_some(QueueReason::ReceiverPermission));
        reasons.extend(sender.locked.then_some(QueueReason::SenderLocked));
        reasons.extend(receiver.locked.then_some(QueueReason::ReceiverLocked));
        reasons.extend(self.exceeds_a_day(deal).then_some(QueueReason::DailyLimit));
        if reasons.is_empty() { Found::Nothing } else { Found::Reasons(reasons) }
    }

    /// What came or went today, what is promised, and this.
    fn exceeds_a_day(&self, deal: &Deal) -> bool {
        let currency = deal.amount.currency;
        let purse = |node| self.purses.get(&(node, currency)).copied().unwrap_or_default();
        let above = |limit: Option<i64>, parts: [i64; 3]| {
            limit.is_some_and(|limit| parts.into_iter().map(i128::from).sum::<i128>() > i128::from(limit))
        };
        let out = deal.from.held().is_some_and(|node| {
            // Who has a promise of its own waits behind nobody else's.
            let promised = if deal.hold == 0 { purse(node).held } else { 0 };
            let limit = self.limits_of(node, currency).daily_out;
            above(limit, [self.today(node, currency).1, promised, deal.amount.minor])
        });
        let into = deal.to.held().is_some_and(|node| {
            let limit = self.limits_of(node, currency).daily_in;
            above(limit, [self.today(node, currency).0, purse(node).pending, deal.net()])
        });
        out || into
    }
}
