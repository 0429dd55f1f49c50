//! Book a bank statement: every line clears an open item, or is posted to suspense until an operator explains it.
//!
//! No other command posts to the account of the bank, so its balance is the bank's balance.

use std::collections::BTreeSet;

use super::event::{Booked, StatementBooked};
use super::{Custody, Refusal};
use crate::actor::Origin;
use crate::aggregate::{Key, NewEvent};
use crate::calendar::Day;
use crate::decide::Decide;
use crate::id::{CustodyId, TransactionId};
use crate::money::Currency;
use crate::posting::{LedgerAccount, Posting, Postings};
use crate::sealed::Sealed;
use crate::state::{After, States};
use crate::time::Timestamp;
use crate::transaction::{Cleared, OpenItem};

/// Command to book the bank's statement of one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookStatement {
    /// The platform's account at the bank.
    pub custody: CustodyId,
    /// Currency of all amounts.
    pub currency: Currency,
    /// Day of the statement.
    pub day: Day,
    /// Balance before the first line, in minor units.
    pub opening: i64,
    /// Balance after the last line, in minor units.
    pub closing: i64,
    /// The lines in the bank's order, with unique ids.
    pub lines: Vec<Line>,
    /// Origin of the booking.
    pub origin: Origin,
    /// Sealed box, class profile, of the platform's own user: the bank's descriptions.
    pub details: Option<Sealed>,
}

/// A line of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The bank's id of the line.
    pub id: String,
    /// Minor units; positive for money onto the account. 0: an entry and its return met at the bank before either was
    /// booked.
    pub amount: i64,
    /// Transaction to which the reference of the line leads.
    pub transaction: Option<TransactionId>,
}

impl Decide for BookStatement {
    fn subject(&self) -> Key {
        self.custody.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        let transactions = self.lines.iter().filter_map(|line| line.transaction.map(Key::from));
        transactions.chain([self.custody.into()]).collect()
    }

    fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let custody = states.custody(self.custody).ok_or(Refusal::Unknown)?;
        self.check(custody, at)?;
        let mut after = After::new(states);
        let mut facts = vec![];
        let mut lines = vec![];
        let mut unexplained = vec![];
        for line in &self.lines {
            let cleared = self.explain(&after, custody, line);
            let explains = cleared.as_ref().map(|(id, account, _)| (*id, *account));
            if let Some((id, _, postings)) = cleared {
                let cleared = Cleared { custody: self.custody, line: line.id.clone(), postings };
                let fact = NewEvent::new(id, cleared);
                after.take(std::slice::from_ref(&fact), at);
                facts.push(fact);
            } else {
                unexplained
                    .extend((line.amount != 0).then_some((LedgerAccount::Bank(custody.bank), line.amount)));
            }
            lines.push(Booked { id: line.id.clone(), amount: line.amount, explains });
        }
        let booked = StatementBooked {
            currency: self.currency,
            day: self.day,
            opening: self.opening,
            closing: self.closing,
            lines,
            postings: self.suspend(&unexplained),
            origin: self.origin,
            details: self.details.clone(),
        };
        facts.insert(0, NewEvent::new(self.custody, booked));
        Ok(facts)
    }

    fn weight(&self) -> usize {
        let details = self.details.as_ref().map_or(0, |sealed| sealed.bytes.len());
        details + size_of_val(self.lines.as_slice())
    }
}

impl BookStatement {
    fn check(&self, custody: &Custody, at: Timestamp) -> Result<(), Refusal> {
        if self.day <= custody.stated_on(self.currency) {
            return Err(Refusal::Stated);
        }
        if self.day > Day::of(at) {
            return Err(Refusal::Future);
        }
        let ids: BTreeSet<_> = self.lines.iter().map(|line| &line.id).collect();
        if ids.len() != self.lines.len() {
            return Err(Refusal::LineTwice);
        }
        if self.opening != custody.balance(self.currency) {
            return Err(Refusal::Opening);
        }
        let sum: i128 = self.lines.iter().map(|line| i128::from(line.amount)).sum();
        let is_sum = i128::from(self.opening) + sum == i128::from(self.closing);
        // Excludes the one integer whose negation overflows.
        let fits = self.lines.iter().all(|line| line.amount > i64::MIN);
        if is_sum && fits { Ok(()) } else { Err(Refusal::Sum) }
    }

    /// The open item that `line` clears, wholly or in part, and the postings that clear it.
    fn explain(
        &self,
        states: &impl States,
        custody: &Custody,
        line: &Line,
    ) -> Option<(TransactionId, LedgerAccount, Postings)> {
        let id = line.transaction?;
        let transaction = states.transaction(id).filter(|it| it.platform == custody.platform)?;
        if transaction.amount.currency != self.currency {
            return None;
        }
        let open = transaction.open_items();
        if line.amount == 0 {
            return self.meet(&open).map(|(account, postings)| (id, account, postings));
        }
        let covers = |item: &&OpenItem| {
            item.amount.signum() == line.amount.signum() && item.amount.abs() >= line.amount.abs()
        };
        // A line that equals one item is not part of a larger item.
        let whole = open.iter().find(|item| item.amount == line.amount);
        let item = whole.or_else(|| open.iter().find(covers))?;
        let lines = [(LedgerAccount::Bank(custody.bank), line.amount), (item.account, -line.amount)];
        Some((id, item.account, self.postings(&lines)?))
    }

    /// Finds an entry and its own return that met at the bank, and the postings that clear both. Two legs of a
    /// transaction never clear each other.
    fn meet(&self, open: &[OpenItem]) -> Option<(LedgerAccount, Postings)> {
        let (entry, counterpart) = open.iter().find_map(|entry| {
            let back = match entry.account {
                LedgerAccount::RailIn(_) => LedgerAccount::ReturnOut,
                LedgerAccount::RailOut(_) => LedgerAccount::ReturnIn,
                LedgerAccount::Node(_)
                | LedgerAccount::Transit
                | LedgerAccount::ReturnIn
                | LedgerAccount::ReturnOut
                | LedgerAccount::Bank(_)
                | LedgerAccount::Suspense => return None,
            };
            let other = open.iter().find(|other| other.account == back && other.amount == -entry.amount)?;
            Some((entry, other))
        })?;
        let lines = [(entry.account, -entry.amount), (counterpart.account, -counterpart.amount)];
        Some((entry.account, self.postings(&lines)?))
    }

    /// Postings of the bank against suspense, a pair for each unexplained line.
    fn suspend(&self, unexplained: &[(LedgerAccount, i64)]) -> Option<Postings> {
        let against =
            |&(bank, amount): &(LedgerAccount, i64)| [(bank, amount), (LedgerAccount::Suspense, -amount)];
        let lines: Vec<_> = unexplained.iter().flat_map(against).collect();
        (!lines.is_empty()).then(|| self.postings(&lines)).flatten()
    }

    fn postings(&self, lines: &[(LedgerAccount, i64)]) -> Option<Postings> {
        let lines = lines.iter().map(|&(account, amount)| Posting { account, amount }).collect();
        Postings::new(self.currency, lines).ok()
    }
}

#[cfg(test)]
mod tests;
