//! A transaction that has not ended: its state transitions, and its money at each status.

use daybook_domain::posting::LedgerAccount;
use daybook_domain::transaction::{Announcement, Created, Event, Fee, Recipients, Redirect, Status};
use daybook_domain::{Currency, NodeId};

use super::Step;
use super::balances::{Balances, post, settles, weighted};
use super::legs::Legs;
use crate::decision::Decision;

/// A transaction that has not ended.
#[derive(Clone, Debug)]
pub(super) struct OpenPayment {
    pub(super) status: Status,
    currency: Currency,
    /// Nodes of sender and receiver; none for a side that is not held in Daybook.
    from: Option<NodeId>,
    to: Option<NodeId>,
    /// True if the money leaves to the receiver over a rail.
    is_sent_out: bool,
    pub(super) amount: i64,
    /// Amount for the receiver, without the fees.
    pub(super) rest: i64,
    hold: i64,
    pending_in: i64,
    /// Amount for each recipient, and the part of it that was announced with the debit.
    gets: Vec<(NodeId, i64)>,
    announced: Vec<Announcement>,
    pub(super) lies: Balances,
    /// Weighted sum of all postings once the transaction is settled; none if a side has no account that is known here.
    settles: Option<u64>,
    pub(super) legs: Legs,
}

impl OpenPayment {
    /// Opens the transaction of the first event of a stream, and checks that event.
    pub(super) fn begin(
        created: &Created,
        step: &Step<'_>,
        decision: &mut Decision,
        wrong: &mut Vec<String>,
    ) -> Self {
        let Created { from, to, amount, fees, hold, .. } = created;
        let rest = Fee::rest(*amount, fees);
        if !amount.may_move() || rest < 0 || fees.iter().any(|fee| fee.minor <= 0) {
            wrong.push("its amount or its fees are invalid".to_owned());
        }
        if *hold != 0 && (*hold != amount.minor || from.held().is_none()) {
            wrong.push("its hold differs from its amount".to_owned());
        }
        if let Some(sender) = from.held() {
            decision.causes(step.id, sender, amount.currency, [0, *hold, 0], step.position);
        }
        Self {
            status: Status::Created,
            currency: amount.currency,
            from: from.held(),
            to: to.held(),
            is_sent_out: to.rail().is_some(),
            amount: amount.minor,
            rest,
            hold: *hold,
            pending_in: 0,
            gets: Recipients::of(to, *amount, fees).totals().into_iter().collect(),
            announced: vec![],
            lies: Balances::default(),
            settles: settles(created, rest),
            legs: Legs::default(),
        }
    }

    /// Folds an event of the transaction, and checks it.
    pub(super) fn fold(&mut self, step: &Step<'_>, decision: &mut Decision, wrong: &mut Vec<String>) {
        let was = self.status;
        let postings = match step.event {
            // `Created` is handled as the first event of its stream; it and `Commented` have no postings.
            Event::Created(_) | Event::Commented(_) => None,
            Event::DebitStarted(it) => {
                self.pass(Status::ProcessingDebit, &[Status::Created], wrong);
                self.release(step, decision);
                Some(&it.postings)
            }
            Event::CreditStarted(it) => {
                self.pass(Status::ProcessingCredit, &[Status::ProcessingDebit], wrong);
                self.announce(it.pending_in, step, decision);
                let is_told = self.announced.iter().any(|told| Some(told.node) == self.to);
                if it.pending_in != if self.is_sent_out || is_told { 0 } else { self.rest } {
                    wrong.push("it announces another amount than its receiver gets".to_owned());
                }
                it.postings.as_ref()
            }
            Event::Settled(it) => {
                self.pass(Status::Settled, &[Status::ProcessingCredit, Status::Created], wrong);
                self.release(step, decision);
                self.take_back_announcements(step, decision);
                it.postings.as_ref()
            }
            Event::Canceled(it) => {
                let may = [Status::Created, Status::Queued, Status::ProcessingDebit];
                self.pass(Status::Canceled, &may, wrong);
                self.release(step, decision);
                self.take_back_announcements(step, decision);
                it.postings.as_ref()
            }
            Event::Returned(it) => {
                let may = [Status::ProcessingDebit, Status::ProcessingCredit];
                self.pass(Status::Returned, &may, wrong);
                self.release(step, decision);
                self.take_back_announcements(step, decision);
                self.lies.move_back(it.postings.as_ref(), step, decision, wrong);
                return;
            }
            Event::Queued(_) => {
                self.pass(Status::Queued, &[Status::Created, Status::Queued], wrong);
                None
            }
            Event::Released(_) => {
                self.pass(Status::Created, &[Status::Queued], wrong);
                None
            }
            Event::Submitted(it) => {
                self.legs.submit(it.direction, wrong);
                None
            }
            Event::Withdrawn(it) => {
                self.legs.withdraw(it.direction, wrong);
                None
            }
            Event::Announced(it) => {
                self.announce_early(&it.announcements, step, decision, wrong);
                None
            }
            Event::FeesRedirected(it) => {
                for redirect in &it.redirects {
                    self.redirect(redirect, step.reserve, wrong);
                }
                None
            }
            Event::Cleared(_) | Event::Reopened(_) | Event::WrittenOff(_) | Event::ReturnContested(_) => None,
        };
        post(postings, step, decision);
        if let Some(postings) = postings {
            self.lies.add(postings, step.reserve);
            if postings.currency() != self.currency {
                wrong.push("it moves another currency than its own".to_owned());
            }
        }
        if self.status != was {
            self.rests(wrong);
        }
    }

    fn pass(&mut self, to: Status, from: &[Status], wrong: &mut Vec<String>) {
        if !from.contains(&self.status) {
            wrong.push(format!("from {} it cannot become {}", self.status.as_str(), to.as_str()));
        }
        self.status = to;
    }

    fn release(&mut self, step: &Step<'_>, decision: &mut Decision) {
        if let Some(sender) = self.from {
            decision.causes(
                step.id,
                sender,
                self.currency,
                [0, self.hold.saturating_neg(), 0],
                step.position,
            );
        }
        self.hold = 0;
    }

    fn announce(&mut self, pending_in: i64, step: &Step<'_>, decision: &mut Decision) {
        if let Some(receiver) = self.to {
            decision.causes(step.id, receiver, self.currency, [0, 0, pending_in], step.position);
        }
        self.pending_in = self.pending_in.saturating_add(pending_in);
    }

    /// Checks that an announcement with the debit is the full amount of its recipient.
    fn announce_early(
        &mut self,
        announcements: &[Announcement],
        step: &Step<'_>,
        decision: &mut Decision,
        wrong: &mut Vec<String>,
    ) {
        if self.status != Status::ProcessingDebit || !self.announced.is_empty() {
            wrong.push("it announces at another time than its debit".to_owned());
        }
        for Announcement { node, minor } in announcements {
            if !self.gets.contains(&(*node, *minor)) {
                wrong.push("it announces another amount than a recipient gets".to_owned());
            }
            decision.causes(step.id, *node, self.currency, [0, 0, *minor], step.position);
        }
        self.announced.extend_from_slice(announcements);
    }

    fn take_back_announcements(&mut self, step: &Step<'_>, decision: &mut Decision) {
        self.announce(self.pending_in.saturating_neg(), step, decision);
        for Announcement { node, minor } in self.announced.drain(..) {
            decision.causes(step.id, node, self.currency, [0, 0, minor.saturating_neg()], step.position);
        }
    }

    /// Moves a fee from its node to the receiver or to the reserve.
    fn redirect(&mut self, redirect: &Redirect, reserve: Option<NodeId>, wrong: &mut Vec<String>) {
        let Redirect { minor, from, to, .. } = *redirect;
        let fee = self.gets.iter_mut().find(|(node, gets)| *node == from && *gets >= minor);
        if let Some((_, gets)) = fee.filter(|_| self.status == Status::ProcessingCredit && minor > 0) {
            *gets -= minor;
        } else {
            wrong.push("it redirects a fee that it does not have".to_owned());
        }
        if Some(to) != self.to && reserve.is_some_and(|reserve| reserve != to) {
            wrong
                .push("it redirects a fee to a node that is neither its receiver nor the reserve".to_owned());
        }
        let moved = |node| weighted(LedgerAccount::Node(node), minor);
        self.settles = self.settles.map(|it| it.wrapping_add(moved(from)).wrapping_sub(moved(to)));
    }

    /// Checks that the amount in transit is the one that the status requires, and that a canceled transaction leaves
    /// nothing at any account.
    fn rests(&self, wrong: &mut Vec<String>) {
        let left = if self.is_sent_out { self.rest } else { 0 };
        let expected = match self.status {
            Status::ProcessingDebit => i128::from(self.amount),
            Status::ProcessingCredit => i128::from(self.amount) - i128::from(left),
            Status::Created | Status::Queued | Status::Settled | Status::Canceled | Status::Returned => 0,
        };
        if self.lies.transit != -expected {
            let what = format!("{} is in transit instead of {expected}", -self.lies.transit);
            wrong.push(what);
        }
        if self.status == Status::Settled && self.settles.is_some_and(|settles| settles != self.lies.all) {
            wrong.push("it is settled with other parties or amounts than it was created with".to_owned());
        }
        if self.status == Status::Canceled && self.lies.all != 0 {
            wrong.push("it was canceled, but not all of its money is back at its origin".to_owned());
        }
    }
}
