//! Advance: takes a transaction one step further: debit, credit, settle. The process manager of settlement submits the
//! command when the step is due. It may submit the same step twice; the second time nothing changes.
//!
//! The debit takes the money from the sender into transit, the credit sends it out over the receiver's rail or
//! announces it to a receiver whose money is kept here, and the settlement gives the rest to all recipients. The
//! postings of each step are in `crates/domain/src/movement.rs`.

use super::event::{Announced, Canceled, CreditStarted, DebitStarted, FeesRedirected, Queued, Settled};
use super::screening::{Blockers, ScreeningOutcome};
use super::{CancelReason, Direction, Refusal, Status, Transaction};
use crate::account::Shortfall;
use crate::actor::Origin;
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::{AccountId, TransactionId};
use crate::movement::{self, Movement, PostingContext};
use crate::state::States;
use crate::time::Timestamp;

/// A step of a transaction towards its settlement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Created → PROCESSING-DEBIT, or CANCELED.
    Debit = 1,
    /// PROCESSING-DEBIT → PROCESSING-CREDIT.
    Credit = 2,
    /// PROCESSING-CREDIT → SETTLED.
    Settle = 3,
}

impl Step {
    /// The step with this number.
    #[must_use]
    pub fn from_code(code: i16) -> Option<Self> {
        [Self::Debit, Self::Credit, Self::Settle].into_iter().find(|step| *step as i16 == code)
    }

    /// The step that follows `status`, if there is one.
    #[must_use]
    pub const fn after(status: Status) -> Option<Self> {
        match status {
            Status::Created => Some(Self::Debit),
            Status::ProcessingDebit => Some(Self::Credit),
            Status::ProcessingCredit => Some(Self::Settle),
            Status::Queued | Status::Settled | Status::Canceled | Status::Returned => None,
        }
    }
}

/// Command to take the next step of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advance {
    /// The transaction.
    pub id: TransactionId,
    /// The step.
    pub step: Step,
    /// True if money that went out over a rail settles only after a statement or another answer of the bank shows that
    /// it arrived.
    pub waits_for_bank: bool,
    /// Origin of the step. A call of the sandbox waits neither for the due day nor for a file.
    pub origin: Origin,
}

impl Decide for Advance {
    fn subject(&self) -> Key {
        self.id.into()
    }

    fn needs(&self, states: &impl States) -> Vec<Key> {
        let mut keys = vec![Key::from(self.id)];
        let Some(transaction) = states.transaction(self.id) else { return keys };
        keys.extend(transaction.accounts());
        match self.step {
            Step::Debit => keys.extend(transaction.screened().needs(states)),
            Step::Credit => {}
            Step::Settle => keys.extend(transaction.needs_of_redirects(states)),
        }
        keys
    }

    /// Takes the step, or returns no event if the step was taken already, is not the next one, is not due yet, or waits
    /// for a file or for the bank. A call of the sandbox is refused if the step is not the next one.
    fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let transaction = states.transaction(self.id).ok_or(Refusal::Unknown)?;
        if Step::after(transaction.status) != Some(self.step) {
            let refusal = Refusal::NoNextStep(transaction.status);
            return if self.origin.simulated { Err(refusal.into()) } else { Ok(vec![]) };
        }
        if !self.origin.simulated && (at < transaction.process_on || self.waits_for_a_file(transaction)) {
            return Ok(vec![]);
        }
        if self.waits_for_bank && transaction.waits_for_bank() {
            return Ok(vec![]);
        }
        let context = PostingContext::forward(transaction.platform, self.id, at);
        match self.step {
            Step::Debit => self.debit(states, transaction, context),
            Step::Credit => self.credit(states, transaction, context),
            Step::Settle => self.settle(states, transaction, context),
        }
    }
}

impl Advance {
    /// Returns true if a leg of the transaction must go into a file before this step: before the credit the pull,
    /// before the settlement also the push.
    fn waits_for_a_file(&self, transaction: &Transaction) -> bool {
        let left = |direction| match transaction.to_submit() {
            Some((next, ..)) => next != direction,
            None => true,
        };
        match self.step {
            Step::Debit => false,
            Step::Credit => !left(Direction::Pull),
            Step::Settle => !left(Direction::Pull) || !left(Direction::Push),
        }
    }

    /// Screens the transaction again. If it passes, takes the money from the sender and announces it to recipients
    /// whose daily limits count it; otherwise cancels or queues the transaction. Cancels also if the sender has too
    /// little.
    fn debit(
        &self,
        states: &impl States,
        transaction: &Transaction,
        context: PostingContext,
    ) -> Result<Vec<NewEvent>, crate::Refusal> {
        match transaction.screened().verdict(states, context.at) {
            ScreeningOutcome::Cancel(reason) => return self.cancel(states, transaction, reason, context),
            ScreeningOutcome::Queue(Blockers { reasons, waits_for }) => {
                return Ok(vec![NewEvent::new(self.id, Queued { reasons, waits_for, origin: self.origin })]);
            }
            ScreeningOutcome::Pass => {}
        }
        let announcements = transaction.announcements(states);
        let movement = movement::debit(transaction, &announcements);
        match (movement.entries(states, transaction.amount.currency, context), movement.postings) {
            (Ok(entries), Some(postings)) => {
                let mut facts = vec![NewEvent::new(self.id, DebitStarted { postings, origin: self.origin })];
                if !announcements.is_empty() {
                    facts.push(NewEvent::new(self.id, Announced { announcements, origin: self.origin }));
                }
                facts.extend(entries);
                Ok(facts)
            }
            // The sender is neither a node that holds money here nor on a rail, so there is nothing to take.
            (Ok(_), None) => Ok(vec![]),
            (Err(shortfall), _) => {
                self.cancel(states, transaction, CancelReason::InsufficientFunds(shortfall), context)
            }
        }
    }

    /// Sends the receiver's part out over its rail, or announces it to a receiver whose money is kept here.
    fn credit(
        &self,
        states: &impl States,
        transaction: &Transaction,
        context: PostingContext,
    ) -> Result<Vec<NewEvent>, crate::Refusal> {
        let movement = movement::credit(transaction);
        let pending_in = movement.pending_in();
        let entries = entries(states, transaction, &movement, context)?;
        let credit = CreditStarted { pending_in, postings: movement.postings, origin: self.origin };
        Ok(self.facts(credit, entries))
    }

    /// Gives the money in transit to the recipients. A fee whose node cannot be credited any more is redirected first,
    /// by an event of its own in the same commit.
    fn settle(
        &self,
        states: &impl States,
        transaction: &Transaction,
        context: PostingContext,
    ) -> Result<Vec<NewEvent>, crate::Refusal> {
        let redirects = transaction.redirects(states, context.at);
        if redirects.is_empty() {
            return self.settle_as_told(states, transaction, context);
        }
        let redirected = Transaction { redirected: redirects.clone(), ..transaction.clone() };
        let mut facts = vec![NewEvent::new(self.id, FeesRedirected { redirects, origin: self.origin })];
        facts.extend(self.settle_as_told(states, &redirected, context)?);
        Ok(facts)
    }

    /// Settles with the recipients as recorded in `transaction`, redirected fees included.
    fn settle_as_told(
        &self,
        states: &impl States,
        transaction: &Transaction,
        context: PostingContext,
    ) -> Result<Vec<NewEvent>, crate::Refusal> {
        let movement = movement::settle(transaction);
        let entries = entries(states, transaction, &movement, context)?;
        Ok(self.facts(Settled { postings: movement.postings, origin: self.origin }, entries))
    }

    fn cancel(
        &self,
        states: &impl States,
        transaction: &Transaction,
        reason: CancelReason,
        context: PostingContext,
    ) -> Result<Vec<NewEvent>, crate::Refusal> {
        cancel(states, self.id, transaction, reason, self.origin, context.at)
    }

    /// Returns the event of the transaction, followed by the entries of the accounts that it touches.
    fn facts(&self, event: impl Into<crate::Event>, entries: Vec<NewEvent>) -> Vec<NewEvent> {
        std::iter::once(NewEvent::new(self.id, event)).chain(entries).collect()
    }
}

/// Returns the entries of the accounts that a credit or a settlement touches. Neither takes money from an account, so
/// neither can find too little. The only possible error is a number out of range.
fn entries(
    states: &impl States,
    transaction: &Transaction,
    movement: &Movement,
    context: PostingContext,
) -> Result<Vec<NewEvent>, Refusal> {
    movement.entries(states, transaction.amount.currency, context).map_err(|_: Shortfall| Refusal::OutOfRange)
}

/// Cancels a transaction: moves every amount back to the account that it came from, and removes holds and
/// announcements.
pub(super) fn cancel(
    states: &impl States,
    id: TransactionId,
    transaction: &Transaction,
    reason: CancelReason,
    origin: Origin,
    at: Timestamp,
) -> Result<Vec<NewEvent>, crate::Refusal> {
    let movement = movement::reverse(transaction);
    let context = PostingContext::reversal(transaction.platform, id, at);
    let entries = movement.entries(states, transaction.amount.currency, context);
    let entries = entries.map_err(|_| Refusal::OutOfRange)?;
    let canceled = NewEvent::new(id, Canceled { reason, postings: movement.postings, origin });
    Ok(std::iter::once(canceled).chain(entries).collect())
}

impl Transaction {
    /// Keys of the accounts that the steps of the transaction touch: sender, receiver and fee nodes that hold money
    /// here.
    pub(super) fn accounts(&self) -> impl Iterator<Item = Key> + '_ {
        let sides = [self.from.held(), self.to.held()].into_iter().flatten();
        let nodes = sides.chain(self.fees.iter().map(|fee| fee.to));
        nodes.map(|node| AccountId::of(node, self.amount.currency).into())
    }
}

#[cfg(test)]
mod tests;
