//! Account: the ledger account behind a held node, in one currency. Its state is its last entry.

pub mod cause;
pub mod event;

pub use cause::Cause;
pub use event::{Entry, Event};
use serde::{Deserialize, Serialize};

use crate::aggregate::{Aggregate, Kind};
use crate::calendar::Day;
use crate::id::NodeId;
use crate::money::Currency;
use crate::time::Timestamp;

/// Balances of an account in minor units, from the owner's view: money owed to the owner is positive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// Node of the account.
    pub node: NodeId,
    /// Currency of the account.
    pub currency: Currency,
    /// Sum of the entries.
    pub posted: i64,
    /// Amount held for transactions that have not taken it yet.
    pub held: i64,
    /// Incoming amount that is announced; never part of the available balance.
    pub pending_in: i64,
    /// Day of the last entry, by the platform's clock.
    pub day: Day,
    /// Gross amount that came in on that day.
    pub day_in: i64,
    /// Gross amount that went out on that day.
    pub day_out: i64,
}

/// Changes that a step makes to one account, in minor units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Added to `posted`.
    pub posted: i64,
    /// Added to `held`.
    pub held: i64,
    /// Added to `pending_in`.
    pub pending_in: i64,
}

/// Terms on which a step changes accounts: whether it counts towards the day's totals, and the least `available` it may
/// leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terms {
    /// A step forward: counts towards the day; `available` stays at or above this floor.
    Forward(i64),
    /// A correction: does not count; `available` stays at or above this floor.
    Correction(i64),
    /// A reversal: does not count; `available` stays at or above zero.
    Reversal,
    /// A return: does not count, and no floor applies.
    Returned,
}

/// Shortfall of an account: a step takes more than it may. Amounts are in minor units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shortfall {
    /// Amount that the step takes.
    pub needed: i64,
    /// Amount that may be taken.
    pub available: i64,
    /// Amount held for other transactions.
    pub held: i64,
}

impl Account {
    /// An account without entries.
    #[must_use]
    pub fn new(node: NodeId, currency: Currency) -> Self {
        Self { node, currency, posted: 0, held: 0, pending_in: 0, day: Day::default(), day_in: 0, day_out: 0 }
    }

    /// The available balance: `posted − held`.
    #[must_use]
    pub const fn available(&self) -> i64 {
        self.posted.saturating_sub(self.held)
    }

    /// Gross amounts that came in and went out on the day of `at`.
    #[must_use]
    pub fn today(&self, at: Timestamp) -> (i64, i64) {
        if self.day == Day::of(at) { (self.day_in, self.day_out) } else { (0, 0) }
    }

    /// Returns the entry that applies `change` at `at`, for `cause`.
    ///
    /// # Errors
    ///
    /// [`Shortfall`] if the change takes from `available` and leaves less than `terms` allow, if a balance overflows,
    /// or if `held` or `pending_in` becomes negative.
    pub fn enter(
        &self,
        change: Change,
        terms: Terms,
        cause: Cause,
        at: Timestamp,
    ) -> Result<Entry, Shortfall> {
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
        let floor = match terms {
            Terms::Forward(floor) | Terms::Correction(floor) => floor,
            Terms::Reversal => 0,
            Terms::Returned => i64::MIN,
        };
        if taken > 0 && available < floor {
            return Err(shortfall);
        }
        let (mut day_in, mut day_out) = self.today(at);
        if matches!(terms, Terms::Forward(_)) {
            day_in = day_in.saturating_add(change.posted.max(0));
            day_out = day_out.saturating_sub(change.posted.min(0));
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
            day_in,
            day_out,
            day: None,
            returned: terms == Terms::Returned,
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

    fn evolve(&mut self, event: &Event, at: Timestamp) {
        match event {
            Event::Entry(entry) => {
                self.day = entry.day.unwrap_or(Day::of(at));
                (self.day_in, self.day_out) = (entry.day_in, entry.day_out);
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
    use crate::id::TransactionId;
    use crate::time::DAY_MS;

    const CAUSE: Cause = Cause::Transaction(TransactionId::from_u128(1));
    const NOON: Timestamp = Timestamp::from_ms(DAY_MS * 3 / 2);

    fn account(posted: i64, held: i64) -> Account {
        Account { posted, held, ..Account::new(NodeId::from_u128(2), Currency::USD) }
    }

    fn enter(account: &Account, change: Change, terms: Terms) -> Result<Entry, Shortfall> {
        account.enter(change, terms, CAUSE, NOON)
    }

    fn hold(amount: i64) -> Change {
        Change { held: amount, ..Change::default() }
    }

    fn give(amount: i64) -> Change {
        Change { posted: amount, ..Change::default() }
    }

    #[test]
    fn available_is_posted_minus_held() {
        assert_eq!(account(100, 30).available(), 70);
    }

    #[test]
    fn hold_or_debit_cannot_exceed_available() {
        let shortfall = |needed| Err(Shortfall { needed, available: 70, held: 30 });
        let zero = Terms::Forward(0);
        assert!(enter(&account(100, 30), hold(70), zero).is_ok());
        assert_eq!(enter(&account(100, 30), hold(71), zero), shortfall(71));
        assert!(enter(&account(100, 30), give(-70), zero).is_ok());
        assert_eq!(enter(&account(100, 30), give(-71), zero), shortfall(71));
    }

    #[test]
    fn floor_is_credit_line_or_minimum_balance() {
        assert!(enter(&account(0, 0), give(-50), Terms::Forward(-50)).is_ok());
        assert!(enter(&account(0, 0), give(-51), Terms::Forward(-50)).is_err());
        assert!(enter(&account(100, 0), hold(90), Terms::Forward(10)).is_ok());
        assert!(enter(&account(100, 0), hold(91), Terms::Forward(10)).is_err());
    }

    #[test]
    fn only_a_return_may_overdraw() {
        let returned = enter(&account(10, 0), give(-30), Terms::Returned).expect("no floor");
        assert_eq!((returned.posted, returned.returned), (-20, true));
        assert!(enter(&account(10, 0), give(-30), Terms::Reversal).is_err());
    }

    #[test]
    fn debit_of_held_money_needs_nothing_more() {
        let change = Change { posted: -30, held: -30, pending_in: 0 };
        let entry = enter(&account(30, 30), change, Terms::Forward(0)).expect("covered by the hold");
        assert_eq!((entry.posted, entry.held), (0, 0));
    }

    #[test]
    fn account_below_floor_may_be_credited() {
        let entry = enter(&account(-10, 0), give(5), Terms::Forward(0));
        assert_eq!(entry.map(|entry| entry.posted), Ok(-5));
    }

    #[test]
    fn day_totals_exclude_reversals_and_returns() {
        let mut account = account(100, 0);
        let mut now = NOON;
        let mut count = |change, terms, at| {
            let entry = account.enter(change, terms, CAUSE, at).expect("covered");
            account.evolve(&Event::Entry(entry), at);
            account.today(at)
        };
        assert_eq!(count(give(7), Terms::Forward(0), now), (7, 0));
        assert_eq!(count(give(-3), Terms::Forward(0), now), (7, 3));
        assert_eq!(count(give(3), Terms::Reversal, now), (7, 3));
        assert_eq!(count(give(-4), Terms::Returned, now), (7, 3));
        assert_eq!(count(hold(2), Terms::Forward(0), now), (7, 3));
        now = now.plus_ms(DAY_MS);
        assert_eq!(count(give(1), Terms::Forward(0), now), (1, 0));
    }

    #[test]
    fn overflowing_and_negative_balances_are_refused() {
        assert!(enter(&account(i64::MAX, 0), give(1), Terms::Forward(0)).is_err());
        assert!(enter(&account(i64::MIN, 0), give(-1), Terms::Returned).is_err());
        assert!(enter(&account(0, 0), hold(-1), Terms::Forward(0)).is_err());
        let unannounced = Change { pending_in: -1, ..Change::default() };
        assert!(enter(&account(0, 0), unannounced, Terms::Forward(0)).is_err());
    }
}
