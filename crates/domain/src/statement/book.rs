//! Book the next lines of an accepted statement. The statements of an account are booked one after the other, so that
//! the balance of the bank's account always is the balance that the bank states after the last booked line.

use super::event::LinesBooked;
use super::{Refusal, Statement};
use crate::actor::Origin;
use crate::aggregate::{Key, NewEvent};
use crate::custody::clear::Cleared;
use crate::custody::{self, Line, StatementCompleted};
use crate::decide::Decide;
use crate::id::{BreakId, StatementId};
use crate::state::States;
use crate::time::Timestamp;

/// Maximum number of lines in one command.
pub const MAX_LINES_AT_ONCE: u32 = 512;

/// Command to book lines of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookLines {
    /// The statement.
    pub statement: StatementId,
    /// Number of the first of the lines, from 0.
    pub first: u32,
    /// The lines in the order of the file.
    pub lines: Vec<Line>,
    /// Origin of the booking.
    pub origin: Origin,
}

impl Decide for BookLines {
    fn subject(&self) -> Key {
        self.statement.into()
    }

    fn needs(&self, states: &impl States) -> Vec<Key> {
        let transactions = self.lines.iter().filter_map(|line| line.transaction.map(Key::from));
        let custody = states.statement(self.statement).map(|statement| statement.custody.into());
        let numbers = (self.first..).take(self.lines.len());
        let breaks = numbers.map(|number| BreakId::of(self.statement, number).into());
        transactions.chain(breaks).chain([self.statement.into()]).chain(custody).collect()
    }

    /// Decides. Changes nothing if the first of the lines is not the next one: another process has booked it.
    fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let statement = states.statement(self.statement).ok_or(Refusal::Unknown)?;
        let is_over = statement.booked == statement.lines || statement.replaced_by.is_some();
        if statement.booked != self.first || is_over {
            return Ok(vec![]);
        }
        let custody = states.custody(statement.custody).ok_or(custody::Refusal::Unknown)?;
        if custody.booking.first() != Some(&self.statement) {
            return Err(Refusal::NotNext.into());
        }
        let is_last = self.check(statement)?;
        let clearing = statement.clearing(custody, (self.statement, self.first));
        let Cleared { lines, facts, postings } = clearing.clear(states, &self.lines, at);
        let booked = LinesBooked { first: self.first, lines, postings, origin: self.origin };
        let completed = StatementCompleted { statement: self.statement, to_match: true };
        let completed = is_last.then(|| NewEvent::new(statement.custody, completed));
        let booked = NewEvent::new(self.statement, booked);
        Ok(std::iter::once(booked).chain(facts).chain(completed).collect())
    }

    fn weight(&self) -> usize {
        size_of_val(self.lines.as_slice())
    }
}

impl BookLines {
    /// Returns true if these are the last lines. Fails if they are not lines of the statement.
    fn check(&self, statement: &Statement) -> Result<bool, Refusal> {
        let count = u32::try_from(self.lines.len()).map_err(|_| Refusal::OtherLines)?;
        let left = (statement.lines - statement.booked).checked_sub(count).ok_or(Refusal::OtherLines)?;
        let sum: i128 = self.lines.iter().map(|line| i128::from(line.amount)).sum();
        let balance = i64::try_from(i128::from(statement.balance) + sum).map_err(|_| Refusal::OtherLines)?;
        // Excludes the one integer whose negation overflows.
        let fits = self.lines.iter().all(|line| line.amount > i64::MIN);
        let is_last = left == 0;
        let is_its = !self.lines.is_empty() && fits && (!is_last || balance == statement.closing);
        if is_its { Ok(is_last) } else { Err(Refusal::OtherLines) }
    }
}

#[cfg(test)]
mod tests;
