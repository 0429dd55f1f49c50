//! Book a statement of the sandbox's bank as a whole. Statements of a bank's file are accepted first, and their lines are
//! booked later ([`crate::statement`]).
//!
//! No other commands than these post to the account of the bank, so its balance is the bank's balance.

use std::collections::BTreeSet;

use super::clear::{Cleared, Clearing};
use super::event::StatementBooked;
use super::{Custody, Line, Refusal};
use crate::actor::Origin;
use crate::aggregate::{Key, NewEvent};
use crate::calendar::Day;
use crate::decide::Decide;
use crate::id::{BreakId, CustodyId};
use crate::money::Currency;
use crate::sealed::Sealed;
use crate::state::States;
use crate::time::Timestamp;

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

impl Decide for BookStatement {
    fn subject(&self) -> Key {
        self.custody.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        let transactions = self.lines.iter().filter_map(|line| line.transaction.map(Key::from));
        let breaks = (0..)
            .zip(&self.lines)
            .map(|(number, _)| BreakId::of_day(self.custody, self.currency, self.day, number).into());
        transactions.chain(breaks).chain([self.custody.into()]).collect()
    }

    fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let custody = states.custody(self.custody).ok_or(Refusal::Unknown)?;
        self.check(custody, at)?;
        let clearing = Clearing {
            custody: self.custody,
            of: custody,
            currency: self.currency,
            day: self.day,
            statement: None,
            first: 0,
        };
        let Cleared { lines, mut facts, postings } = clearing.clear(states, &self.lines, at);
        let booked = StatementBooked {
            currency: self.currency,
            day: self.day,
            opening: self.opening,
            closing: self.closing,
            lines,
            postings,
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
        // The balance of the bank's account is the closing balance of the newest statement only when all lines are booked.
        if !custody.booking.is_empty() {
            return Err(Refusal::Booking);
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
}

#[cfg(test)]
mod tests;
