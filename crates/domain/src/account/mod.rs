//! Account: the ledger account behind a held node, in one currency. Its state is its last entry.

pub mod event;

pub use event::{Entry, Event};
use serde::{Deserialize, Serialize};

use crate::aggregate::{Aggregate, Kind};
use crate::id::{NodeId, TransactionId};
use crate::money::Currency;
use crate::time::Timestamp;

/// The numbers of an account, in minor units, as its owner sees them: what is owed to the owner is positive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// The node.
    pub node: NodeId,
    /// The currency.
    pub currency: Currency,
    /// What the entries sum to.
    pub posted: i64,
    /// Promised to transactions that have not taken it yet.
    pub held: i64,
    /// On its way in; never part of what is available.
    pub pending_in: i64,
}

/// What a step does to one account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Added to `posted`.
    pub posted: i64,
    /// Added to `held`.
    pub held: i64,
    /// Added to `pending_in`.
    pub pending_in: i64,
}

/// How low `available` may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Not below zero.
    Zero,
}

/// There is less than a step needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shortfall {
    /// What the step would take.
    pub needed: i64,
    /// What may be taken.
    pub available: i64,
    /// What others have been promised.
    pub held: i64,
}

impl Account {
    /// An account to which nothing was ever posted.
    #[must_use]
    pub const fn new(node: NodeId, currency: Currency) -> Self {
        Self { node, currency, posted: 0, held: 0, pending_in: 0 }
    }

    /// What may be taken: `posted − held`.
    #[must_use]
    pub const fn available(&self) -> i64 {
        self.posted.saturating_sub(self.held)
    }

    /// The entry that makes `change` for the sake of `cause`.
    ///
    /// # Errors
    ///
    /// [`Shortfall`] if the change takes from `available` and leaves less than `limit`, or if a number does not fit.
    pub fn enter(&self, change: Change, limit: Limit, cause: TransactionId) -> Result<Entry, Shortfall> {
        let floor = match limit {
            Limit::Zero => 0,
        };
        let taken = change.held.saturating_sub(change.posted);
        let shortfall = Shortfall { needed: taken, available: self.available(), held: self.held };
        let posted = self.posted.checked_add(change.posted).ok_or(shortfall)?;
        let held = self.held.checked_add(change.held).filter(|held| *held >= 0).ok_or(shortfall)?;
        let pending_in = self
            .pending_in
            .checked_add(change.pending_in)
            .filter(|pending| *pending >= 0)
            .ok_or(shortfall)?;
        let available = posted.checked_sub(held).ok_or(shortfall)?;
        if taken > 0 && available < floor {
            return Err(shortfall);
        }
        let Self { node, currency, .. } = *self;
        Ok(Entry {
            node,
            currency,
            cause,
            delta: change.posted,
            hold_delta: change.held,
            pending_delta: change.pending_in,
            posted,
            held,
            pending_in,
        })
    }
}

impl Aggregate for Account {
    type Event = Event;
    const KIND: Kind = Kind::Account;

    fn begin(event: &Event, at: Timestamp) -> Option<Self> {
        let Event::Entry(entry) = event;
        let mut account = Self::new(entry.node, entry.currency);
        account.evolve(event, at);
        Some(account)
    }

    fn evolve(&mut self, event: &Event, _at: Timestamp) {
        match event {
            Event::Entry(entry) => {
                self.posted = entry.posted;
                self.held = entry.held;
                self.pending_in = entry.pending_in;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAUSE: TransactionId = TransactionId::from_u128(1);

    fn account(posted: i64, held: i64) -> Account {
        Account { posted, held, ..Account::new(NodeId::from_u128(2), Currency::USD) }
    }

    fn hold(amount: i64) -> Change {
        Change { held: amount, ..Change::default() }
    }

    fn take(amount: i64) -> Change {
        Change { posted: -amount, ..Change::default() }
    }

    #[test]
    fn available_is_what_is_posted_and_not_held() {
        assert_eq!(account(100, 30).available(), 70);
    }

    #[test]
    fn no_more_can_be_held_or_taken_than_is_available() {
        let shortfall = |needed| Err(Shortfall { needed, available: 70, held: 30 });
        assert!(account(100, 30).enter(hold(70), Limit::Zero, CAUSE).is_ok());
        assert_eq!(account(100, 30).enter(hold(71), Limit::Zero, CAUSE), shortfall(71));
        assert!(account(100, 30).enter(take(70), Limit::Zero, CAUSE).is_ok());
        assert_eq!(account(100, 30).enter(take(71), Limit::Zero, CAUSE), shortfall(71));
    }

    #[test]
    fn taking_what_was_held_needs_nothing_more() {
        let change = Change { posted: -30, held: -30, pending_in: 0 };
        let entry = account(30, 30).enter(change, Limit::Zero, CAUSE).expect("covered by the hold");
        assert_eq!((entry.posted, entry.held), (0, 0));
    }

    #[test]
    fn an_account_below_its_limit_may_still_be_credited() {
        let change = Change { posted: 5, ..Change::default() };
        assert_eq!(account(-10, 0).enter(change, Limit::Zero, CAUSE).map(|entry| entry.posted), Ok(-5));
    }

    #[test]
    fn numbers_that_do_not_fit_are_refused() {
        assert!(
            account(i64::MAX, 0)
                .enter(Change { posted: 1, ..Change::default() }, Limit::Zero, CAUSE)
                .is_err()
        );
        assert!(account(0, 0).enter(hold(-1), Limit::Zero, CAUSE).is_err());
        let unannounced = Change { pending_in: -1, ..Change::default() };
        assert!(account(0, 0).enter(unannounced, Limit::Zero, CAUSE).is_err());
    }
}
