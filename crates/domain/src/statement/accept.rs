//! Accept the statements in a bank's file: all of them, or none.

use serde::{Deserialize, Serialize};

use super::Refusal;
use super::event::{Accepted, Replaced};
use super::restate::{Days, Replacement};
use crate::actor::Origin;
use crate::aggregate::{Key, NewEvent};
use crate::calendar::Day;
use crate::custody::{self, StatementAccepted};
use crate::decide::Decide;
use crate::id::{CustodyId, StatementId};
use crate::money::Currency;
use crate::state::{After, States};
use crate::time::Timestamp;

/// Command to accept the statements in a bank's file. The caller has read the file and checked that the lines of each
/// statement make its closing balance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptStatements {
    /// The platform's account at the bank.
    pub custody: CustodyId,
    /// The file.
    pub file: StatedFile,
    /// Origin of the file.
    pub origin: Origin,
}

/// A bank's file with its statements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatedFile {
    /// The statements, those of one currency in the order of their days.
    pub statements: Vec<StatedDay>,
    /// Format of the file with its version.
    pub format: String,
    /// SHA-256 of the file, in hexadecimal digits.
    pub hash: String,
    /// Size of the file, in bytes.
    pub bytes: u64,
}

/// A statement in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatedDay {
    /// Id of the statement. It follows from the file's hash, so that the same file has the same ids.
    pub id: StatementId,
    /// Currency of all amounts.
    pub currency: Currency,
    /// Day of the statement.
    pub day: Day,
    /// Balance before the first line, in minor units.
    pub opening: i64,
    /// Balance after the last line, in minor units.
    pub closing: i64,
    /// Number of lines.
    pub lines: u32,
    /// The statement of this day that it replaces; `None` unless the bank states the day anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<StatementId>,
}

impl Decide for AcceptStatements {
    fn subject(&self) -> Key {
        self.custody.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        let named = |stated: &StatedDay| [Some(stated.id), stated.replaces];
        let statements = self.file.statements.iter().flat_map(named).flatten().map(Key::from);
        statements.chain([self.custody.into()]).collect()
    }

    /// Decides. Changes nothing if the statements of this file are accepted already.
    fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let custody = states.custody(self.custody).ok_or(custody::Refusal::Unknown)?;
        let statements = &self.file.statements;
        if statements.iter().any(|stated| states.statement(stated.id).is_some()) {
            return Ok(vec![]);
        }
        let days = Days::of(states, (self.custody, custody), statements)?;
        let mut after = After::new(states);
        let mut facts = vec![];
        for stated in statements {
            let new = self.accept(&after, stated, days.replacement(stated), at)?;
            after.take(&new, at);
            facts.extend(new);
        }
        Ok(facts)
    }

    fn weight(&self) -> usize {
        size_of_val(self.file.statements.as_slice())
    }
}

impl AcceptStatements {
    fn accept(
        &self,
        states: &impl States,
        stated: &StatedDay,
        replacement: Option<Replacement>,
        at: Timestamp,
    ) -> Result<Vec<NewEvent>, crate::Refusal> {
        let custody = states.custody(self.custody).ok_or(custody::Refusal::Unknown)?;
        let &StatedDay { id, currency, day, opening, closing, lines, replaces } = stated;
        if replacement.is_none() {
            if day <= custody.stated_on(currency) {
                return Err(custody::Refusal::Stated.into());
            }
            if day > Day::of(at) {
                return Err(custody::Refusal::Future.into());
            }
            if opening != custody.balance(currency) {
                return Err(custody::Refusal::Opening.into());
            }
        }
        if lines == 0 && opening != closing {
            return Err(Refusal::OtherLines.into());
        }
        let later = replacement.map_or(0, |replacement| replacement.later);
        let accepted = Accepted {
            platform: custody.platform,
            custody: self.custody,
            currency,
            day,
            opening,
            closing,
            lines,
            format: self.file.format.clone(),
            file: self.file.hash.clone(),
            bytes: self.file.bytes,
            replaces,
            later,
            origin: self.origin,
        };
        let takes_back = replacement.and_then(|replacement| replacement.takes_back);
        let of_custody = StatementAccepted { statement: id, currency, day, closing, lines, takes_back };
        let replaced =
            replaces.map(|old| NewEvent::new(old, Replaced { by: id, later, origin: self.origin }));
        let accepted = [NewEvent::new(id, accepted), NewEvent::new(self.custody, of_custody)];
        Ok(replaced.into_iter().chain(accepted).collect())
    }
}

#[cfg(test)]
mod tests;
