//! Cancel a transaction that has not left yet: it ends, and every cent goes back to the account that it came from.

use super::advance::cancel;
use super::{CancelReason, Refusal, Status, Transaction};
use crate::actor::Origin;
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::{NodeId, PlatformId, TransactionId, UserId};
use crate::posting::Rail;
use crate::state::States;
use crate::time::Timestamp;

/// Command to cancel a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancel {
    /// The transaction.
    pub id: TransactionId,
    /// Platform of the caller.
    pub platform: PlatformId,
    /// The sender that requests it, and the node in the path of its call; `None` if no user requests it.
    pub sender: Option<(UserId, NodeId)>,
    /// Reason for the cancel.
    pub reason: CancelReason,
    /// Origin of the request.
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

    /// Decides. A canceled transaction cannot be canceled again, so that no caller takes the effect of another call for
    /// its own.
    fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
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

/// Returns true if nothing has left: the transaction waits, or it waits for the cut-off of a file to an external bank
/// account.
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
