//! Erase: a person is forgotten. What is decided here is only whether it may be; the keys are destroyed by whoever sees
//! the event, in every process and again after every restore.
//!
//! Nothing can begin at a user who is closed, so whoever asks looks its accounts and transactions up after that: what the
//! command names is then everything there is. Numbers and states of what it names are looked at here.

use serde::{Deserialize, Serialize};

use super::event::Erased;
use super::{Refusal, find};
use crate::actor::Origin;
use crate::aggregate::{Fact, Key};
use crate::decide::Decide;
use crate::id::{AccountId, NodeId, PlatformId, TransactionId, UserId};
use crate::money::Currency;
use crate::state::States;
use crate::time::Timestamp;

/// Why a user is erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErasureReason {
    /// The person asked for it.
    Requested,
    /// Its records need not be kept any longer.
    RetentionOver,
    /// A court or an authority ordered it.
    Ordered,
}

/// That a user was erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Erasure {
    /// When.
    pub at: Timestamp,
    /// Why.
    pub reason: ErasureReason,
}

/// Asks for the erasure of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Erase {
    /// The user.
    pub user: UserId,
    /// The platform of the user.
    pub platform: PlatformId,
    /// Why.
    pub reason: ErasureReason,
    /// Every account of its nodes that ever had an entry.
    pub accounts: Vec<(NodeId, Currency)>,
    /// Its transactions: those that may be under way, and one at least if it ever had one.
    pub transactions: Vec<TransactionId>,
    /// Who asks.
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

    /// Decides. Who is erased already stays so.
    fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<Fact>, crate::Refusal> {
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
            // Nothing says that they need not be kept any longer.
            None if self.took_part() => return Err(Refusal::RetentionUnset.into()),
            Some(_) | None => {}
        }
        Ok(vec![Fact::new(self.user, Erased { reason: self.reason, origin: self.origin })])
    }
}

impl Erase {
    /// Whether it ever was a side of a transaction, or got money by one: a fee makes an entry.
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

/// Says no if nothing about `id` may be sealed any more: its keys are gone.
pub(crate) fn check_sealable(states: &impl States, id: UserId) -> Result<(), Refusal> {
    let is_erased = states.user(id).is_some_and(|user| user.erased.is_some());
    if is_erased { Err(Refusal::Erased) } else { Ok(()) }
}

#[cfg(test)]
mod tests;
