//! Advance: the next step of a transaction that is under way. Asked for by a process, perhaps more than once.

use super::create::screen;
use super::event::{Canceled, CreditStarted, DebitStarted, Settled};
use super::{CancelReason, Party, Refusal, Status, Transaction};
use crate::account::{Limit, Shortfall};
use crate::aggregate::{Fact, Key};
use crate::id::{AccountId, TransactionId};
use crate::movement::{self, Movement};
use crate::state::States;
use crate::time::Timestamp;

/// A step that a transaction takes on its way.
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

    /// The step that follows `status`, if one does.
    #[must_use]
    pub const fn after(status: Status) -> Option<Self> {
        match status {
            Status::Created => Some(Self::Debit),
            Status::ProcessingDebit => Some(Self::Credit),
            Status::ProcessingCredit => Some(Self::Settle),
            Status::Settled | Status::Canceled => None,
        }
    }
}

/// Asks a transaction to take a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advance {
    /// The transaction.
    pub id: TransactionId,
    /// The step.
    pub step: Step,
}

impl Advance {
    /// The states that the decision looks at, as far as they can be told from those at hand.
    #[must_use]
    pub fn needs(&self, states: &impl States) -> Vec<Key> {
        let mut keys = vec![Key::from(self.id)];
        let Some(transaction) = states.transaction(self.id) else { return keys };
        let currency = transaction.amount.currency;
        let sides = [transaction.from.node(), transaction.to.node()].into_iter().flatten();
        let nodes: Vec<_> = sides.chain(transaction.fees.iter().map(|fee| fee.to)).collect();
        keys.extend(nodes.iter().map(|node| Key::from(AccountId::of(*node, currency))));
        if self.step == Step::Debit {
            keys.extend(nodes.into_iter().map(Key::from));
            keys.extend(
                [transaction.from.user(), transaction.to.user()].into_iter().flatten().map(Key::from),
            );
            keys.push(transaction.platform.into());
        }
        keys
    }

    /// Decides. A step that was taken already, that no longer makes sense, or that comes before its day changes nothing.
    pub fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<Fact>, crate::Refusal> {
        let transaction = states.transaction(self.id).ok_or(Refusal::Unknown)?;
        if Step::after(transaction.status) != Some(self.step) || at < transaction.process_on {
            return Ok(vec![]);
        }
        let facts = match self.step {
            Step::Debit => self.debit(states, transaction),
            Step::Credit => self.credit(states, transaction),
            Step::Settle => self.settle(states, transaction),
        };
        // Only a step that takes may fall short, and that one answers by canceling.
        facts.map_err(|_| Refusal::OutOfRange.into())
    }

    fn debit(&self, states: &impl States, transaction: &Transaction) -> Result<Vec<Fact>, Shortfall> {
        if let Some(reason) = guard(states, transaction) {
            return self.cancel(states, transaction, reason);
        }
        let movement = movement::debit(transaction);
        match (self.entries(states, transaction, &movement), movement.postings) {
            (Ok(entries), Some(postings)) => Ok(self.facts(DebitStarted { postings }, entries)),
            (Ok(_), None) => Ok(vec![]),
            (Err(shortfall), _) => {
                self.cancel(states, transaction, CancelReason::InsufficientFunds(shortfall))
            }
        }
    }

    fn credit(&self, states: &impl States, transaction: &Transaction) -> Result<Vec<Fact>, Shortfall> {
        let entries = self.entries(states, transaction, &movement::credit(transaction))?;
        Ok(self.facts(CreditStarted { pending_in: transaction.net_minor() }, entries))
    }

    fn settle(&self, states: &impl States, transaction: &Transaction) -> Result<Vec<Fact>, Shortfall> {
        let movement = movement::settle(transaction);
        let entries = self.entries(states, transaction, &movement)?;
        Ok(movement.postings.map_or(vec![], |postings| self.facts(Settled { postings }, entries)))
    }

    fn cancel(
        &self,
        states: &impl States,
        transaction: &Transaction,
        reason: CancelReason,
    ) -> Result<Vec<Fact>, Shortfall> {
        let movement = movement::unwind(transaction);
        let entries = self.entries(states, transaction, &movement)?;
        Ok(self.facts(Canceled { reason, postings: movement.postings }, entries))
    }

    fn entries(
        &self,
        states: &impl States,
        transaction: &Transaction,
        movement: &Movement,
    ) -> Result<Vec<Fact>, Shortfall> {
        movement.entries(states, transaction.amount.currency, Limit::Zero, self.id)
    }

    fn facts(&self, event: impl Into<crate::Event>, entries: Vec<Fact>) -> Vec<Fact> {
        std::iter::once(Fact::new(self.id, event)).chain(entries).collect()
    }
}

/// What may have changed since the transaction was created: permissions and nodes. A side that cannot be looked at
/// may neither send nor receive.
fn guard(states: &impl States, transaction: &Transaction) -> Option<CancelReason> {
    let node = |party: Party| party.node().and_then(|id| states.node(id));
    let Some(sender) = node(transaction.from) else { return Some(CancelReason::SenderNotAllowed) };
    let Some(receiver) = node(transaction.to) else { return Some(CancelReason::ReceiverNotAllowed) };
    let platform_user = states.platform(transaction.platform).map(|platform| platform.user);
    let to_platform = Some(receiver.user) == platform_user;
    let may_send = states.user(sender.user).is_some_and(|user| user.permission.may_send(to_platform));
    let may_receive = states.user(receiver.user).is_some_and(|user| user.permission.may_receive());
    match (may_send, may_receive) {
        (false, _) => Some(CancelReason::SenderPermission),
        (true, false) => Some(CancelReason::ReceiverPermission),
        (true, true) => screen(sender, receiver),
    }
}

#[cfg(test)]
mod tests;
