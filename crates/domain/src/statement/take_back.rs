//! Take back the last booked lines of a replaced statement. The newest day is taken back first, so that the balance of the
//! bank's account always is a balance that the bank stated.

use super::event::LinesTakenBack;
use super::{Refusal, Statement};
use crate::actor::Origin;
use crate::aggregate::{Key, NewEvent};
use crate::custody::clear::Cleared;
use crate::custody::{self, Booked, StatementCompleted};
use crate::decide::Decide;
use crate::id::{BreakId, StatementId};
use crate::state::States;
use crate::time::Timestamp;

/// Command to take back lines of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakeBackLines {
    /// The statement.
    pub statement: StatementId,
    /// Number of the first of the lines, from 0.
    pub first: u32,
    /// The last booked lines as the statement's events state them, in the order of the file.
    pub lines: Vec<Booked>,
    /// Origin of the step.
    pub origin: Origin,
}

impl Decide for TakeBackLines {
    fn subject(&self) -> Key {
        self.statement.into()
    }

    fn needs(&self, states: &impl States) -> Vec<Key> {
        let transactions = self.lines.iter().filter_map(|line| Some(Key::from(line.explains?.0)));
        let custody = states.statement(self.statement).map(|statement| statement.custody.into());
        let numbers = (self.first..).take(self.lines.len());
        let breaks = numbers.map(|number| BreakId::of(self.statement, number).into());
        transactions.chain(breaks).chain([self.statement.into()]).chain(custody).collect()
    }

    /// Decides. Changes nothing if the lines are not the last booked ones: another process has taken them back.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let statement = states.statement(self.statement).ok_or(Refusal::Unknown)?;
        let count = u32::try_from(self.lines.len()).map_err(|_| Refusal::OtherLines)?;
        let are_last = count > 0 && self.first.checked_add(count) == Some(statement.booked);
        if statement.replaced_by.is_none() || !are_last {
            return Ok(vec![]);
        }
        let custody = states.custody(statement.custody).ok_or(custody::Refusal::Unknown)?;
        if custody.booking.first() != Some(&self.statement) {
            return Err(Refusal::NotNext.into());
        }
        if self.first == 0 && !self.leave_nothing(statement) {
            return Err(Refusal::OtherLines.into());
        }
        let clearing = statement.clearing(custody, (self.statement, self.first));
        let Cleared { lines, facts, postings } = clearing.take_back(states, self.lines.clone())?;
        let back = LinesTakenBack { first: self.first, lines, postings, origin: self.origin };
        let completed = StatementCompleted { statement: self.statement, to_match: false };
        let completed = (self.first == 0).then(|| NewEvent::new(statement.custody, completed));
        let back = NewEvent::new(self.statement, back);
        Ok(std::iter::once(back).chain(facts).chain(completed).collect())
    }

    fn weight(&self) -> usize {
        size_of_val(self.lines.as_slice())
    }
}

impl TakeBackLines {
    /// True if the opening balance is left, and nothing in suspense.
    fn leave_nothing(&self, statement: &Statement) -> bool {
        let sum = |lines: &mut dyn Iterator<Item = &Booked>| -> i128 {
            lines.map(|line| i128::from(line.amount)).sum()
        };
        let all = sum(&mut self.lines.iter());
        let unexplained = sum(&mut self.lines.iter().filter(|line| line.explains.is_none()));
        i128::from(statement.balance) - all == i128::from(statement.opening)
            && i128::from(statement.suspended) == unexplained
    }
}

#[cfg(test)]
mod tests;
