//! Erase a user (crypto-shredding). The decision only checks that the erasure is permitted. Every process destroys the
//! user's keys when it reads the event, and again after a restore.
//!
//! Nothing new can begin for a closed user. The caller therefore looks up the user's accounts and transactions after
//! the closing, so that the command names all of them. The decision reads their balances and statuses.

use serde::{Deserialize, Serialize};

use super::event::Erased;
use super::{Refusal, find};
use crate::actor::Origin;
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::{AccountId, NodeId, PlatformId, TransactionId, UserId};
use crate::money::Currency;
use crate::state::States;
use crate::time::Timestamp;

/// Reason for which a user is erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErasureReason {
    /// The person requested it.
    Requested,
    /// The records of the user need not be kept any longer.
    RetentionOver,
    /// A court or an authority ordered it.
    Ordered,
}

/// The erasure of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Erasure {
    /// Time of the erasure.
    pub at: Timestamp,
    /// Reason for the erasure.
    pub reason: ErasureReason,
}

/// Command to erase a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Erase {
    /// The user.
    pub user: UserId,
    /// Platform of the user.
    pub platform: PlatformId,
    /// Reason for the erasure.
    pub reason: ErasureReason,
    /// All accounts of the user's nodes that ever had an entry.
    pub accounts: Vec<(NodeId, Currency)>,
    /// Transactions of the user: all that may be under way, and at least one if there ever was one.
    pub transactions: Vec<TransactionId>,
    /// Origin of the request.
    pub origin: Origin,
}

impl Decide for Erase {
    fn subject(&self) -> Key {
        self.user.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        let accounts = self.accounts.iter().map(|(node, currency)| AccountId::of(*node, *currency).into());
        let transactions = self.transactions.iter().map(|id| Key::from(*id));
        accounts.chain(transactions).chain([self.user.into(), self.platform.into()]).collect()
    }

    /// Decides. Changes nothing if the user is erased already.
    fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let user = find(states, self.platform, self.user)?;
        if user.erased.is_some() {
            return Ok(vec![]);
        }
        if states.platform(self.platform).is_some_and(|platform| platform.user == self.user) {
            return Err(Refusal::OwnUserErased.into());
        }
        if user.retention.hold.is_some() {
            return Err(Refusal::OnHold.into());
        }
        if !user.permitted.is_closed() {
            return Err(Refusal::NotClosed.into());
        }
        self.check_money(states)?;
        match user.retention.until {
            Some(until) if at < until => return Err(Refusal::Retained.into()),
            // Without a retention date, the records must be kept.
            None if self.took_part() => return Err(Refusal::RetentionUnset.into()),
            Some(_) | None => {}
        }
        Ok(vec![NewEvent::new(self.user, Erased { reason: self.reason, origin: self.origin })])
    }
}

impl Erase {
    /// Returns true if the user ever was a party of a transaction, or got money by one: a fee makes an entry.
    const fn took_part(&self) -> bool {
        !self.transactions.is_empty() || !self.accounts.is_empty()
    }

    fn check_money(&self, states: &impl States) -> Result<(), Refusal> {
        let has_money = self.accounts.iter().any(|(node, currency)| {
            let account = states.account(*node, *currency);
            [account.posted, account.held, account.pending_in] != [0; 3]
        });
        if has_money {
            return Err(Refusal::HasMoney);
        }
        let is_under_way = |id: &TransactionId| {
            let transaction = states.transaction(*id);
            transaction.is_none_or(|found| !found.status.is_end() || !found.open_items().is_empty())
        };
        if self.transactions.iter().any(is_under_way) { Err(Refusal::UnderWay) } else { Ok(()) }
    }
}

/// Refuses to seal anything about `id` if the keys of the user are destroyed.
pub(crate) fn check_sealable(states: &impl States, id: UserId) -> Result<(), Refusal> {
    let is_erased = states.user(id).is_some_and(|user| user.erased.is_some());
    if is_erased { Err(Refusal::Erased) } else { Ok(()) }
}

#[cfg(test)]
mod tests;
