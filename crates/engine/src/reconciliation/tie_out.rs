//! The tie-out of one currency: the balance that the bank states, with what is on its way and what is in suspense,
//! explains the money of the ledger.

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::calendar::{Day, banking_days_between};
use daybook_domain::posting::LedgerAccount;
use daybook_domain::{Currency, Timestamp};
use daybook_projector::{CustodyRow, Tally};

use super::report::{Period, StatedDay};

/// Age of breaks in banking days, from and to; the last bucket has no end.
pub const AGE_BUCKETS: [(u32, Option<u32>); 4] = [(0, Some(2)), (3, Some(5)), (6, Some(10)), (11, None)];

/// Age in banking days up to which a break is no finding.
pub const OLD_BANKING_DAYS: u32 = 2;

/// Balances of a platform at one position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Balances {
    /// Ledger accounts.
    pub ledger: BTreeMap<Currency, CustodyRow>,
    /// Balances that the bank states after the last line that is booked or taken back, in minor units.
    pub stated: BTreeMap<Currency, i64>,
    /// Newest day that the bank has stated.
    pub stated_until: BTreeMap<Currency, Day>,
    /// Open items by account and the day since which they are open; debit positive.
    pub open: BTreeMap<(Currency, LedgerAccount, Day), Tally>,
    /// Lines in suspense by the day of their statement; money onto the account is positive.
    pub breaks: BTreeMap<(Currency, Day), Tally>,
}

/// Tie-out of one currency, in minor units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TieOut {
    /// The currency.
    pub currency: Currency,
    /// Stated balance before the first day of the period; `None` if no statement says it.
    pub opening: Option<i64>,
    /// Stated balance after the last day of the period; `None` if no statement says it.
    pub closing: Option<i64>,
    /// Newest day of the period that the bank has stated; its last day, if the bank has stated a later one. `None` if it has
    /// stated none up to there.
    pub stated_until: Option<Day>,
    /// True if the bank is still to state a banking day of the period, so that its result may change.
    pub is_provisional: bool,
    /// Balance that the bank states after the last line that is booked. It is the closing balance, unless later days are
    /// booked already.
    pub stated: i128,
    /// Balances of the ledger accounts; assets and liabilities are both positive.
    pub ledger: CustodyRow,
    /// Open items; debit positive.
    pub open: Tally,
    /// Open items among them that are older than the bank takes to state them ([`LedgerAccount::stated_within`]).
    pub overdue: Tally,
    /// Parts of lines that are in suspense; money onto the account is positive.
    pub breaks: Tally,
    /// The same by [`AGE_BUCKETS`].
    pub aged: [Tally; AGE_BUCKETS.len()],
}

impl TieOut {
    /// Stated balance and open items, less suspense, nodes and transit; 0 if both sides are equal.
    #[must_use]
    pub const fn difference(&self) -> i128 {
        let CustodyRow { suspense, nodes, transit, .. } = self.ledger;
        self.stated + self.open.minor - suspense - nodes - transit
    }

    /// Balance of the bank's ledger account, less the stated balance.
    #[must_use]
    pub const fn bank_difference(&self) -> i128 {
        self.ledger.bank - self.stated
    }

    /// Balances of the accounts of rails and of returns; debit positive.
    #[must_use]
    pub const fn in_transit(&self) -> i128 {
        let CustodyRow { rail_in, rail_out, ret_in, ret_out, .. } = self.ledger;
        rail_in + ret_in - rail_out - ret_out
    }

    /// Balances of the accounts of rails and of returns, less the open items.
    #[must_use]
    pub const fn open_difference(&self) -> i128 {
        self.in_transit() - self.open.minor
    }

    /// Part of suspense that no break names: journal entries on suspense, and lines that were booked before there were
    /// breaks.
    #[must_use]
    pub const fn unnamed(&self) -> i128 {
        self.ledger.suspense - self.breaks.minor
    }

    /// True if both sides are equal, the ledger has the stated balance, the open items are the balances of their accounts,
    /// and suspense is the sum of named lines.
    #[must_use]
    pub const fn is_tied_out(&self) -> bool {
        self.difference() == 0
            && self.bank_difference() == 0
            && self.open_difference() == 0
            && self.unnamed() == 0
    }

    /// Number of breaks that are older than [`OLD_BANKING_DAYS`].
    #[must_use]
    pub fn old_breaks(&self) -> u64 {
        let old = AGE_BUCKETS.iter().zip(&self.aged).filter(|((from, _), _)| *from > OLD_BANKING_DAYS);
        old.map(|(_, tally)| tally.count).sum()
    }
}

/// Ties out each currency that has money, a statement, an open item or a break. Ages are those at the end of `day`.
/// `statements` are all of the account.
#[must_use]
pub fn tie_out(balances: &Balances, statements: &[StatedDay], period: Period, day: Day) -> Vec<TieOut> {
    let Balances { ledger, stated, stated_until: until, open, breaks } = balances;
    let currencies: BTreeSet<Currency> = ledger
        .keys()
        .chain(stated.keys())
        .chain(until.keys())
        .copied()
        .chain(open.keys().map(|(currency, ..)| *currency))
        .chain(breaks.keys().map(|(currency, _)| *currency))
        .chain(statements.iter().map(|statement| statement.currency))
        .collect();
    let one = |currency| {
        let of_currency = |statement: &&StatedDay| statement.currency == currency;
        let days: Vec<&StatedDay> = statements.iter().filter(of_currency).collect();
        let (opening, closing) = ends(&days, period);
        let mut tied = TieOut {
            currency,
            opening,
            closing,
            stated_until: until.get(&currency).map(|last| *last.min(&period.to)),
            is_provisional: false,
            stated: stated.get(&currency).copied().unwrap_or_default().into(),
            ledger: ledger.get(&currency).cloned().unwrap_or_default(),
            open: Tally::default(),
            overdue: Tally::default(),
            breaks: Tally::default(),
            aged: [Tally::default(); AGE_BUCKETS.len()],
        };
        for ((_, account, since), tally) in open.iter().filter(|((its, ..), _)| *its == currency) {
            tied.open.add(*tally);
            if is_overdue(*account, banking_days_between(*since, day)) {
                tied.overdue.add(*tally);
            }
        }
        let has_money = tied.ledger != CustodyRow::default() || tied.open.count > 0;
        let unstated = tied.stated_until.map(|last| banking_days_between(last, period.to));
        tied.is_provisional = unstated.map_or(has_money, |days| days > 0);
        for ((_, since), tally) in breaks.iter().filter(|((its, _), _)| *its == currency) {
            tied.breaks.add(*tally);
            let age = banking_days_between(*since, day);
            let bucket = AGE_BUCKETS.iter().position(|(_, to)| to.is_none_or(|to| age <= to));
            if let Some(bucket) = bucket.and_then(|bucket| tied.aged.get_mut(bucket)) {
                bucket.add(*tally);
            }
        }
        tied
    };
    currencies.into_iter().map(one).collect()
}

/// True if an open item of this age in banking days is older than the bank takes to state it.
pub(super) fn is_overdue(account: LedgerAccount, age: u32) -> bool {
    account.stated_within().is_some_and(|days| age > days)
}

/// Returns the accounts between the ledger and a bank, each with the time before which its open items became open that are
/// overdue at the end of `day`.
#[must_use]
pub fn overdue_before(day: Day) -> Vec<(LedgerAccount, Timestamp)> {
    let before = |account: LedgerAccount| {
        let mut first = day;
        while !is_overdue(account, banking_days_between(first.plus_days(-1), day)) {
            first = first.plus_days(-1);
        }
        (account, first.start())
    };
    LedgerAccount::of_open_items().map(before).collect()
}

/// Stated balances before the first and after the last day of a period, by the statements that no other one replaces.
fn ends(days: &[&StatedDay], period: Period) -> (Option<i64>, Option<i64>) {
    let standing = || days.iter().filter(|statement| statement.replaced_by.is_none());
    let last_until = |day: Day| standing().filter(|it| it.day <= day).max_by_key(|it| it.day);
    let first = standing().filter(|it| period.has(it.day)).min_by_key(|it| it.day);
    let opening = first.map(|it| it.opening);
    let before = || last_until(period.from.plus_days(-1)).map(|it| it.closing);
    (opening.or_else(before), last_until(period.to).map(|it| it.closing))
}

#[cfg(test)]
mod tests;
