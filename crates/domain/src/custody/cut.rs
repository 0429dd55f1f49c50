//! Cut a file: what one rail has to send goes into a file; and the file was handed over.

use super::Refusal;
use super::event::{Authorizations, CutOff, FileCut, FileSent, Item};
use crate::aggregate::{Fact, Key};
use crate::decide::Decide;
use crate::id::{CustodyId, FileId, PlatformId, TransactionId};
use crate::posting::{FormatLimit, Rail};
use crate::state::States;
use crate::time::Timestamp;
use crate::transaction::{Direction, Submitted};

/// How many numbers there are for entries; they begin again after that. Source: Nacha, trace number.
const TRACES: u64 = 9_999_999;

/// Asks for a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutFile {
    /// The account at the bank.
    pub custody: CustodyId,
    /// The id that the file shall have.
    pub file: FileId,
    /// The rail.
    pub rail: Rail,
    /// What shall go into it.
    pub items: Vec<(TransactionId, Direction)>,
    /// The cut-off, if the bank told one.
    pub cut_off: Option<CutOff>,
}

impl Decide for CutFile {
    fn subject(&self) -> Key {
        self.custody.into()
    }

    fn needs(&self, states: &impl States) -> Vec<Key> {
        let items = self.items.iter().map(|(transaction, _)| Key::from(*transaction));
        let platform = states.custody(self.custody).map(|custody| custody.platform.into());
        items.chain([self.custody.into()]).chain(platform).collect()
    }

    /// Decides. What no longer has to go is left out; nothing left, there is no file.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<Fact>, crate::Refusal> {
        let custody = states.custody(self.custody).ok_or(Refusal::Unknown)?;
        let limit = FormatLimit::of(self.rail);
        let (mut items, mut pulled, mut pushed): (Vec<Item>, i64, i64) = (vec![], 0, 0);
        for &(id, direction) in &self.items {
            let Some(transaction) = states.transaction(id) else { continue };
            let goes = transaction.platform == custody.platform
                && transaction
                    .to_submit()
                    .is_some_and(|(next, _, rail)| (next, rail) == (direction, self.rail))
                && items.iter().all(|item| item.transaction != id);
            if goes {
                let number = custody.traces.saturating_add(items.len() as u64) % TRACES + 1;
                let trace = u32::try_from(number).unwrap_or_default();
                // Numbers rise within a file; what comes after the last one waits for the next.
                if items.last().is_some_and(|last| last.trace > trace) {
                    break;
                }
                let amount = transaction.leg_minor(direction);
                let total = match direction {
                    Direction::Pull => &mut pulled,
                    Direction::Push | Direction::Refund => &mut pushed,
                };
                // An entry without a place is in no total: it goes back when the file is made.
                if limit.has_place(amount) {
                    // Nor do they sum to more than the format counts.
                    if !limit.has_room(*total, amount) {
                        break;
                    }
                    *total += amount;
                }
                items.push(Item { transaction: id, direction, amount, trace });
            }
        }
        if items.is_empty() {
            return Ok(vec![]);
        }
        let submitted = |item: &Item| {
            let Item { direction, trace, .. } = *item;
            let submitted = Submitted { file: self.file, rail: self.rail, direction, trace };
            Fact::new(item.transaction, submitted)
        };
        let submitted: Vec<_> = items.iter().map(submitted).collect();
        let authorizations = self.authorizations(states, custody.platform);
        let Self { file, rail, cut_off, .. } = *self;
        let cut = FileCut { file, rail, number: custody.files, items, cut_off, authorizations };
        Ok(std::iter::once(Fact::new(self.custody, cut)).chain(submitted).collect())
    }

    fn weight(&self) -> usize {
        size_of_val(self.items.as_slice())
    }
}

impl CutFile {
    /// As the platform's policy says now: the file says the same whenever it is written.
    fn authorizations(&self, states: &impl States, platform: PlatformId) -> Option<Authorizations> {
        let is_written = states.platform(platform).is_some_and(|it| it.policy.written_authorizations);
        let authorizations = if is_written { Authorizations::Written } else { Authorizations::Internet };
        (self.rail == Rail::Ach).then_some(authorizations)
    }
}

/// Tells that the bank took a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendFile {
    /// The account at the bank.
    pub custody: CustodyId,
    /// The file.
    pub file: FileId,
}

impl Decide for SendFile {
    fn subject(&self) -> Key {
        self.custody.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![self.custody.into()]
    }

    /// Decides. A file that was handed over already changes nothing.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<Fact>, crate::Refusal> {
        let custody = states.custody(self.custody).ok_or(Refusal::Unknown)?;
        if !custody.unsent.contains(&self.file) {
            return Ok(vec![]);
        }
        Ok(vec![Fact::new(self.custody, FileSent { file: self.file })])
    }
}

#[cfg(test)]
mod tests;
