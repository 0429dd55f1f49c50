//! Transactions: checks the state transitions of `docs/reference/money.md`, and that the money is at the accounts that
//! the status requires. Little is kept of a settled transaction, and nothing of one that has ended otherwise.

use std::hash::{DefaultHasher, Hash, Hasher};

use daybook_domain::posting::{LedgerAccount, Postings};
use daybook_domain::transaction::{
    Announcement, Created, Direction, Event, Fee, Recipients, Redirect, Status,
};
use daybook_domain::{Currency, NodeId};

use crate::decision::Decision;
use crate::ids::Ids;

/// Every transaction that can still change.
#[derive(Debug, Default)]
pub(crate) struct Payments {
    open: Ids<OpenPayment>,
    settled: Ids<Settled>,
}

/// A transaction that has not ended.
#[derive(Clone, Debug)]
struct OpenPayment {
    status: Status,
    currency: Currency,
    /// Nodes of sender and receiver; none for a side that is not held in Daybook.
    from: Option<NodeId>,
    to: Option<NodeId>,
    /// True if the money leaves to the receiver over a rail.
    is_sent_out: bool,
    amount: i64,
    /// Amount for the receiver, without the fees.
    rest: i64,
    hold: i64,
    pending_in: i64,
    /// Amount for each recipient, and the part of it that was announced with the debit.
    gets: Vec<(NodeId, i64)>,
    announced: Vec<Announcement>,
    lies: Balances,
    /// Weighted sum of all postings once the transaction is settled; none if a side has no account that is known here.
    settles: Option<u64>,
    legs: Legs,
}

/// A settled transaction, which may still be returned.
#[derive(Clone, Copy, Debug)]
struct Settled {
    lies: Balances,
    legs: Legs,
}

/// Location of a transaction's money: a sum for transit, and weighted sums for all other accounts. Two different sets
/// of postings have equal weighted sums with a probability of 2⁻⁶⁴.
#[derive(Clone, Copy, Debug, Default)]
struct Balances {
    transit: i128,
    /// Weighted sum over nodes other than the reserve.
    nodes: u64,
    /// Weighted sum over all accounts.
    all: u64,
}

impl Balances {
    fn add(&mut self, postings: &Postings, reserve: Option<NodeId>) {
        for line in postings.lines() {
            let weighted = weighted(line.account, line.amount);
            self.all = self.all.wrapping_add(weighted);
            match line.account {
                LedgerAccount::Transit => self.transit += i128::from(line.amount),
                LedgerAccount::Node(node) if Some(node) != reserve => {
                    self.nodes = self.nodes.wrapping_add(weighted);
                }
                LedgerAccount::Node(_)
                | LedgerAccount::RailIn(_)
                | LedgerAccount::RailOut(_)
                | LedgerAccount::ReturnIn
                | LedgerAccount::ReturnOut
                | LedgerAccount::Bank(_)
                | LedgerAccount::Suspense => {}
            }
        }
    }
}

/// Returns the weight of an amount in a weighted sum. The arithmetic wraps in two's complement, so a posting and its
/// reversal cancel out.
fn weighted(account: LedgerAccount, amount: i64) -> u64 {
    let mut hasher = DefaultHasher::new();
    account.hash(&mut hasher);
    hasher.finish().wrapping_mul(amount.cast_unsigned())
}

/// Returns the weighted sum of all postings once the transaction is settled: the amount is taken from the sender and
/// given to the receiver and to the recipients of fees.
fn settles(created: &Created, rest: i64) -> Option<u64> {
    let Created { from, to, amount, fees, .. } = created;
    let from = from.held().map(LedgerAccount::Node).or(from.rail().map(LedgerAccount::RailIn))?;
    let to = to.held().map(LedgerAccount::Node).or(to.rail().map(LedgerAccount::RailOut))?;
    let given = fees.iter().map(|fee| (LedgerAccount::Node(fee.to), fee.minor)).chain([(to, rest)]);
    let given = given.fold(0_u64, |sum, (account, minor)| sum.wrapping_add(weighted(account, minor)));
    Some(weighted(from, amount.minor).wrapping_sub(given))
}

/// The legs that are in a file, one bit for each direction.
#[derive(Clone, Copy, Debug, Default)]
struct Legs(u8);

impl Legs {
    fn submit(&mut self, leg: Direction, wrong: &mut Vec<String>) {
        if self.0 & bit(leg) != 0 {
            wrong.push("a leg goes into a second file".to_owned());
        }
        self.0 |= bit(leg);
    }

    fn withdraw(&mut self, leg: Direction, wrong: &mut Vec<String>) {
        if self.0 & bit(leg) == 0 {
            wrong.push("a leg that is in no file is withdrawn".to_owned());
        }
        self.0 &= !bit(leg);
    }
}

const fn bit(leg: Direction) -> u8 {
    1 << leg as u8
}

/// An event of a transaction, with its context in the log.
pub(crate) struct Step<'a> {
    pub(crate) id: u128,
    pub(crate) position: u64,
    pub(crate) event: &'a Event,
    pub(crate) reserve: Option<NodeId>,
    /// True if it is the first event of its stream.
    pub(crate) is_first: bool,
    /// True if all earlier events of the stream were read.
    pub(crate) is_whole: bool,
}

impl Payments {
    /// Folds an event and returns its inconsistencies. Its effects on accounts are added to `decision`.
    pub(crate) fn fold(&mut self, step: &Step<'_>, decision: &mut Decision) -> Vec<String> {
        let mut wrong = vec![];
        let id = step.id.into();
        if let Event::Submitted(it) = step.event {
            let leg = (step.id, it.direction as i16, it.file, it.trace);
            let moves =
                |open: &OpenPayment| if it.direction == Direction::Push { open.rest } else { open.amount };
            decision.submits(leg, self.open.get(&id).map(moves), step.position);
        }
        if let Event::Returned(_) = step.event {
            decision.returns(step.id);
        }
        if let Event::Cleared(it) = step.event {
            let line = (step.id, it.line.clone());
            decision.clears(line, it.custody.as_u128(), &it.postings, step.position);
        }
        if let Event::Created(created) = step.event {
            if step.is_first {
                self.open.insert(id, begin(created, step, decision, &mut wrong));
            }
        } else if let Some(open) = self.open.get_mut(&id) {
            open.fold(step, decision, &mut wrong);
            let OpenPayment { status, lies, legs, .. } = *open;
            if status.is_end() {
                self.open.remove(&id);
                if status == Status::Settled {
                    self.settled.insert(id, Settled { lies, legs });
                }
            }
        } else if let Some(settled) = self.settled.get_mut(&id) {
            settled.fold(step, decision, &mut wrong);
            if matches!(step.event, Event::Returned(_)) {
                self.settled.remove(&id);
            }
        } else if step.is_whole {
            after_the_end(step.event, &mut wrong);
        } else {
            decision.cannot_tell(step.id);
        }
        wrong
    }
}

fn begin(
    created: &Created,
    step: &Step<'_>,
    decision: &mut Decision,
    wrong: &mut Vec<String>,
) -> OpenPayment {
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
    OpenPayment {
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

/// Checks an event of a transaction that was canceled or returned.
fn after_the_end(event: &Event, wrong: &mut Vec<String>) {
    match event {
        // A statement can still clear open items, a pulled amount can be paid back in a file, and comments are always
        // allowed.
        Event::Cleared(_) | Event::Submitted(_) | Event::Withdrawn(_) | Event::Commented(_) => {}
        Event::Created(_)
        | Event::DebitStarted(_)
        | Event::CreditStarted(_)
        | Event::Settled(_)
        | Event::Canceled(_)
        | Event::Queued(_)
        | Event::Released(_)
        | Event::Announced(_)
        | Event::FeesRedirected(_)
        | Event::Returned(_) => wrong.push("it has ended, so this event cannot follow".to_owned()),
    }
}

impl Settled {
    fn fold(&mut self, step: &Step<'_>, decision: &mut Decision, wrong: &mut Vec<String>) {
        match step.event {
            Event::Submitted(it) => self.legs.submit(it.direction, wrong),
            Event::Withdrawn(it) => self.legs.withdraw(it.direction, wrong),
            Event::Returned(it) => {
                self.lies.move_back(it.postings.as_ref(), step, decision, wrong);
            }
            Event::Cleared(_) | Event::Commented(_) => {}
            Event::Created(_)
            | Event::DebitStarted(_)
            | Event::CreditStarted(_)
            | Event::Settled(_)
            | Event::Canceled(_)
            | Event::Queued(_)
            | Event::Announced(_)
            | Event::FeesRedirected(_)
            | Event::Released(_) => wrong.push("it is settled, and can only be returned".to_owned()),
        }
    }
}

impl Balances {
    /// Checks a return: no money stays at any node but the reserve, and none in transit.
    fn move_back(
        &mut self,
        postings: Option<&Postings>,
        step: &Step<'_>,
        decision: &mut Decision,
        wrong: &mut Vec<String>,
    ) {
        post(postings, step, decision);
        if let Some(postings) = postings {
            self.add(postings, step.reserve);
        }
        // Without the platform the reserve is unknown, which may bear a loss.
        if step.reserve.is_some() && (self.nodes != 0 || self.transit != 0) {
            wrong.push("it was returned, but not all of its money went back to its origin".to_owned());
        }
    }
}

/// Adds the effects of `postings` on the accounts of nodes to `decision`.
fn post(postings: Option<&Postings>, step: &Step<'_>, decision: &mut Decision) {
    let Some(postings) = postings else { return };
    for (node, amount) in postings.node_changes() {
        decision.causes(step.id, node, postings.currency(), [amount, 0, 0], step.position);
    }
}

impl OpenPayment {
    fn fold(&mut self, step: &Step<'_>, decision: &mut Decision, wrong: &mut Vec<String>) {
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
            Event::Cleared(_) => None,
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
