//! Return: the bank, an operator or the sandbox returns a transaction (ACH return, chargeback), before or after
//! settlement.

use super::event::Returned;
use super::{Direction, Refusal, Status, Transaction};
use crate::actor::Origin;
use crate::aggregate::{Key, NewEvent};
use crate::calendar::{Day, ReturnCode};
use crate::decide::Decide;
use crate::id::{AccountId, NodeId, PlatformId, TransactionId};
use crate::movement::{self, PostingContext};
use crate::node::returned;
use crate::platform;
use crate::posting::Rail;
use crate::state::States;
use crate::time::Timestamp;

/// Command to return a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReturnTransaction {
    /// The transaction.
    pub id: TransactionId,
    /// The platform of the transaction.
    pub platform: PlatformId,
    /// Return reason code of the rail.
    pub code: ReturnCode,
    /// The returned leg, if both legs are outside; `None` is the pull.
    pub leg: Option<Direction>,
    /// Origin of the return.
    pub origin: Origin,
}

impl Decide for ReturnTransaction {
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

    /// Decides. A transaction is returned once, within the time limit of the code, which does not apply to a leg whose
    /// return is contested: that return stands. The consequence for the external
    /// account is part of the decision.
    fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let transaction = states.transaction(self.id).filter(|it| it.platform == self.platform);
        let transaction = transaction.ok_or(Refusal::Unknown)?;
        match transaction.status {
            Status::ProcessingDebit | Status::ProcessingCredit | Status::Settled => {}
            status @ (Status::Queued | Status::Created | Status::Canceled | Status::Returned) => {
                return Err(Refusal::CannotReturn(status).into());
            }
        }
        let leg = self.leg_of(transaction);
        let stands = transaction.contests.iter().any(|contest| Some(contest.leg) == leg);
        if !stands && Day::of(at) > self.code.last_day(Day::of(transaction.moved_at)) {
            return Err(Refusal::TooLateToReturn.into());
        }
        let mut facts = self.reverse(states, transaction, at)?;
        let place = self.place_of(transaction);
        let follows =
            place.and_then(|(leg, node)| returned::follows(states, node, leg, self.code, self.origin));
        facts.extend(follows);
        Ok(facts)
    }
}

impl ReturnTransaction {
    /// Events that return `transaction`, whatever its status and without a time limit.
    pub(super) fn reverse(
        &self,
        states: &impl States,
        transaction: &Transaction,
        at: Timestamp,
    ) -> Result<Vec<NewEvent>, crate::Refusal> {
        let platform = states.platform(self.platform).ok_or(platform::Refusal::Unknown)?;
        let leg = self.leg_of(transaction);
        let movement = movement::return_funds(transaction, leg, platform.reserve);
        let context = PostingContext::returned(self.platform, self.id, at);
        let entries = movement.entries(states, transaction.amount.currency, context);
        let entries = entries.map_err(|_| Refusal::OutOfRange)?;
        let returned = Returned { code: self.code, leg, postings: movement.postings, origin: self.origin };
        Ok(std::iter::once(NewEvent::new(self.id, returned)).chain(entries).collect())
    }

    /// The returned leg and the bank account that its entry concerned, if it went by ACH: the codes are those of ACH.
    fn place_of(&self, transaction: &Transaction) -> Option<(Direction, NodeId)> {
        let leg = self.leg_of(transaction)?;
        let party = match leg {
            Direction::Pull | Direction::Refund => &transaction.from,
            Direction::Push => &transaction.to,
        };
        party.external().filter(|(_, rail)| *rail == Rail::Ach).map(|(node, _)| (leg, node))
    }

    /// The returned leg; `None` if neither leg is outside.
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
