//! Transactions: checks the state transitions of `docs/reference/money.md`, and that the money is at the accounts that
//! the status requires. Little is kept of a settled transaction, and nothing of one that has ended otherwise.

mod balances;
mod legs;
mod open_payment;

use daybook_domain::NodeId;
use daybook_domain::transaction::{Direction, Event, Status};

use self::balances::Balances;
use self::legs::Legs;
use self::open_payment::OpenPayment;
use crate::decision::Decision;
use crate::ids::Ids;

/// Every transaction that can still change.
#[derive(Debug, Default)]
pub(crate) struct Payments {
    open: Ids<OpenPayment>,
    settled: Ids<Settled>,
}

/// A settled transaction, which may still be returned.
#[derive(Clone, Copy, Debug)]
struct Settled {
    lies: Balances,
    legs: Legs,
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
            decision.booked.name(line, it.custody.as_u128(), &it.postings, step.position);
        }
        if let Event::Reopened(it) = step.event {
            let line = (step.id, it.line.clone());
            decision.taken_back.name(line, it.custody.as_u128(), &it.postings, step.position);
        }
        if let Event::WrittenOff(it) = step.event {
            decision.writes_off(it.operation.as_u128(), it.account, it.amount, step.position);
        }
        if let Event::Created(created) = step.event {
            if step.is_first {
                self.open.insert(id, OpenPayment::begin(created, step, decision, &mut wrong));
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

/// Checks an event of a transaction that was canceled or returned.
fn after_the_end(event: &Event, wrong: &mut Vec<String>) {
    match event {
        // A statement can still clear open items or open them again, a pulled amount can be paid back in a file, and comments are always
        // allowed.
        Event::Cleared(_)
        | Event::Reopened(_)
        | Event::WrittenOff(_)
        | Event::ReturnContested(_)
        | Event::Submitted(_)
        | Event::Withdrawn(_)
        | Event::Commented(_) => {}
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
            Event::Cleared(_)
            | Event::Reopened(_)
            | Event::WrittenOff(_)
            | Event::ReturnContested(_)
            | Event::Commented(_) => {}
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
