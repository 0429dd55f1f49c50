//! Return: the bank, an operator or the sandbox sends a transaction back, early or late.

use super::event::Returned;
use super::{Direction, Refusal, Status, Transaction};
use crate::actor::Origin;
use crate::aggregate::{Fact, Key};
use crate::calendar::{Day, ReturnCode};
use crate::decide::Decide;
use crate::id::{AccountId, NodeId, PlatformId, TransactionId};
use crate::movement::{self, Cast};
use crate::node::returned;
use crate::platform;
use crate::posting::Rail;
use crate::state::States;
use crate::time::Timestamp;

/// Sends a transaction back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Return {
    /// The transaction.
    pub id: TransactionId,
    /// The platform of the transaction.
    pub platform: PlatformId,
    /// Why, in the words of the rail.
    pub code: ReturnCode,
    /// Which leg comes back, if both are outside; the pull unless told otherwise.
    pub leg: Option<Direction>,
    /// Who sends it back.
    pub origin: Origin,
}

impl Decide for Return {
    fn subject(&self) -> Key {
        self.id.into()
    }

    fn needs(&self, states: &impl States) -> Vec<Key> {
        let mut keys = vec![self.id.into(), self.platform.into()];
        let Some(transaction) = states.transaction(self.id) else { return keys };
        keys.extend(transaction.accounts());
        keys.extend(self.place_of(transaction).map(|(_, node)| Key::from(node)));
        if let Some(platform) = states.platform(self.platform) {
            keys.push(AccountId::of(platform.reserve, transaction.amount.currency).into());
        }
        keys
    }

    /// Decides. It comes back once, within the window of its code, and what follows for the account outside follows.
    fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<Fact>, crate::Refusal> {
        let transaction = states.transaction(self.id).filter(|it| it.platform == self.platform);
        let transaction = transaction.ok_or(Refusal::Unknown)?;
        match transaction.status {
            Status::ProcessingDebit | Status::ProcessingCredit | Status::Settled => {}
            status @ (Status::Queued | Status::Created | Status::Canceled | Status::Returned) => {
                return Err(Refusal::CannotReturn(status).into());
            }
        }
        if Day::of(at) > self.code.last_day(Day::of(transaction.moved_at)) {
            return Err(Refusal::TooLateToReturn.into());
        }
        let mut facts = self.unwind(states, transaction, at)?;
        let place = self.place_of(transaction);
        let follows =
            place.and_then(|(leg, node)| returned::follows(states, node, leg, self.code, self.origin));
        facts.extend(follows);
        Ok(facts)
    }
}

impl Return {
    /// The facts that send `transaction` back, whatever its state and however late.
    pub(super) fn unwind(
        &self,
        states: &impl States,
        transaction: &Transaction,
        at: Timestamp,
    ) -> Result<Vec<Fact>, crate::Refusal> {
        let platform = states.platform(self.platform).ok_or(platform::Refusal::Unknown)?;
        let leg = self.leg_of(transaction);
        let movement = movement::give_back(transaction, leg, platform.reserve);
        let cast = Cast::returned(self.platform, self.id, at);
        let entries = movement.entries(states, transaction.amount.currency, cast);
        let entries = entries.map_err(|_| Refusal::OutOfRange)?;
        let returned = Returned { code: self.code, leg, postings: movement.postings, origin: self.origin };
        Ok(std::iter::once(Fact::new(self.id, returned)).chain(entries).collect())
    }

    /// The leg that comes back and the bank account that its entry was about, if it went by ACH, whose codes these are.
    fn place_of(&self, transaction: &Transaction) -> Option<(Direction, NodeId)> {
        let leg = self.leg_of(transaction)?;
        let party = match leg {
            Direction::Pull | Direction::Refund => &transaction.from,
            Direction::Push => &transaction.to,
        };
        party.external().filter(|(_, rail)| *rail == Rail::Ach).map(|(node, _)| (leg, node))
    }

    /// Which leg comes back; none if neither is outside.
    fn leg_of(&self, transaction: &Transaction) -> Option<Direction> {
        match (transaction.from.rail(), transaction.to.rail()) {
            (Some(_), Some(_)) if self.leg == Some(Direction::Push) => Some(Direction::Push),
            (Some(_), _) => Some(Direction::Pull),
            (None, Some(_)) => Some(Direction::Push),
            (None, None) => None,
        }
    }
}

#[cfg(test)]
mod tests;
