//! Cut a file: collect the entries that one rail has to send. Send a file: record that the bank accepted it.

use super::Refusal;
use super::event::{Authorizations, CutOff, FileCut, FileSent, Item};
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::{CustodyId, FileId, PlatformId, TransactionId};
use crate::posting::{FormatLimit, Rail};
use crate::state::States;
use crate::time::Timestamp;
use crate::transaction::{Direction, Submitted};

/// Largest trace number of an entry; numbering then begins again at 1. Source: Nacha, trace number.
const MAX_TRACE_NUMBER: u64 = 9_999_999;

/// Command to cut a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutFile {
    /// The platform's account at the bank.
    pub custody: CustodyId,
    /// Id of the new file.
    pub file: FileId,
    /// The rail.
    pub rail: Rail,
    /// Candidates for entries: transactions and their legs, in order.
    pub items: Vec<(TransactionId, Direction)>,
    /// The cut-off at which the file is cut, if the bank announced one.
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

    /// Decides. Items that do not have to be sent are left out. Without items there is no file, and nothing changes.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
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
                let number = custody.traces.saturating_add(items.len() as u64) % MAX_TRACE_NUMBER + 1;
                let trace = u32::try_from(number).unwrap_or_default();
                // Numbers rise within a file. Entries after the largest number wait for the next file.
                if items.last().is_some_and(|last| last.trace > trace) {
                    break;
                }
                let amount = transaction.leg_minor(direction);
                let total = match direction {
                    Direction::Pull => &mut pulled,
                    Direction::Push | Direction::Refund => &mut pushed,
                };
                // An entry above the limit of the format counts in no total: it is withdrawn when the file is rendered.
                if limit.has_place(amount) {
                    // The totals may not exceed the limit of the format either.
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
            NewEvent::new(item.transaction, submitted)
        };
        let submitted: Vec<_> = items.iter().map(submitted).collect();
        let authorizations = self.authorizations(states, custody.platform);
        let Self { file, rail, cut_off, .. } = *self;
        let cut = FileCut { file, rail, number: custody.files, items, cut_off, authorizations };
        Ok(std::iter::once(NewEvent::new(self.custody, cut)).chain(submitted).collect())
    }

    fn weight(&self) -> usize {
        size_of_val(self.items.as_slice())
    }
}

impl CutFile {
    /// The authorizations that the platform's policy states at the cut. The event keeps them, so that every rendering
    /// of the file is the same.
    fn authorizations(&self, states: &impl States, platform: PlatformId) -> Option<Authorizations> {
        let is_written = states.platform(platform).is_some_and(|it| it.policy.written_authorizations);
        let authorizations = if is_written { Authorizations::Written } else { Authorizations::Internet };
        (self.rail == Rail::Ach).then_some(authorizations)
    }
}

/// Command to record that the bank accepted a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendFile {
    /// The platform's account at the bank.
    pub custody: CustodyId,
    /// The file.
    pub file: FileId,
    /// Position of the log as of which the file was rendered.
    pub as_of: u64,
}

impl Decide for SendFile {
    fn subject(&self) -> Key {
        self.custody.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![self.custody.into()]
    }

    /// Decides. Changes nothing if the file was handed over already.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let custody = states.custody(self.custody).ok_or(Refusal::Unknown)?;
        if !custody.unsent.contains(&self.file) {
            return Ok(vec![]);
        }
        Ok(vec![NewEvent::new(self.custody, FileSent { file: self.file, as_of: Some(self.as_of) })])
    }
}

#[cfg(test)]
mod tests;
