//! Cancel: a transaction that has not left yet ends, and every cent goes back to where it came from.

use super::advance::cancel;
use super::{CancelReason, Refusal, Status, Transaction};
use crate::actor::Origin;
use crate::aggregate::{Fact, Key};
use crate::decide::Decide;
use crate::id::{NodeId, PlatformId, TransactionId, UserId};
use crate::posting::Rail;
use crate::state::States;
use crate::time::Timestamp;

/// Asks for a cancel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancel {
    /// The transaction.
    pub id: TransactionId,
    /// The platform of the caller.
    pub platform: PlatformId,
    /// The sender who asks, and by which node; none if it is not a user who asks.
    pub sender: Option<(UserId, NodeId)>,
    /// Why.
    pub reason: CancelReason,
    /// Who asks.
    pub origin: Origin,
}

impl Decide for Cancel {
    fn subject(&self) -> Key {
        self.id.into()
    }

    fn needs(&self, states: &impl States) -> Vec<Key> {
        let accounts = states.transaction(self.id).into_iter().flat_map(Transaction::accounts);
        accounts.chain([self.id.into()]).collect()
    }

    /// Decides. What is canceled already cannot be canceled again: nobody is told that its own call did it.
    fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<Fact>, crate::Refusal> {
        let transaction = states.transaction(self.id).filter(|transaction| {
            let is_sender =
                |(user, node)| transaction.from.user() == Some(user) && transaction.from.node() == Some(node);
            transaction.platform == self.platform && self.sender.is_none_or(is_sender)
        });
        let transaction = transaction.ok_or(Refusal::Unknown)?;
        if !can_cancel(transaction) {
            return Err(Refusal::CannotCancel(transaction.status).into());
        }
        cancel(states, self.id, transaction, self.reason, self.origin, at)
    }
}

/// Nothing has left yet: it waits, or it waits for the cut-off of a file to a bank account outside.
fn can_cancel(transaction: &Transaction) -> bool {
    match transaction.status {
        Status::Queued | Status::Created => true,
        Status::ProcessingDebit => {
            let to_bank = transaction.to.external().is_some_and(|(_, rail)| rail == Rail::Ach);
            to_bank && transaction.submitted.is_empty()
        }
        Status::ProcessingCredit | Status::Settled | Status::Canceled | Status::Returned => false,
    }
}

#[cfg(test)]
mod tests;
