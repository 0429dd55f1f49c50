//! Contents of events that processes read beside the states: the booked lines of statements, the matches of lines, and the
//! entries of files.

use std::collections::BTreeMap;

use daybook_domain::breaks::{Event as BreakEvent, Matched};
use daybook_domain::calendar::Day;
use daybook_domain::custody::{Booked, Event as CustodyEvent};
use daybook_domain::posting::LedgerAccount;
use daybook_domain::statement::Event as StatementEvent;
use daybook_domain::transaction::Direction;
use daybook_domain::{BreakId, Event, FileId, StatementId, TransactionId};
use daybook_projector::RecordedEvent;

/// Fold of these contents.
#[derive(Clone, Default)]
pub(crate) struct Records {
    /// Booked lines of each statement.
    pub booked: BTreeMap<StatementId, Vec<Booked>>,
    /// Matches of each line that hold.
    pub matches: BTreeMap<BreakId, Vec<Matched>>,
    /// Days of the files.
    pub files: BTreeMap<FileId, Day>,
    entries: BTreeMap<(TransactionId, Direction), FileId>,
}

impl Records {
    pub(crate) fn fold(&mut self, happened: &RecordedEvent) {
        let statement = StatementId::from_u128(happened.key.id);
        let line = BreakId::from_u128(happened.key.id);
        match &happened.event {
            Event::Statement(StatementEvent::LinesBooked(booked)) => {
                self.booked.entry(statement).or_default().extend(booked.lines.iter().cloned());
            }
            Event::Statement(StatementEvent::LinesTakenBack(back)) => {
                self.booked.entry(statement).or_default().truncate(back.first as usize);
            }
            Event::Break(BreakEvent::Matched(matched)) => {
                self.matches.entry(line).or_default().push(matched.clone());
            }
            Event::Break(BreakEvent::Unmatched(ended)) => {
                self.matches.entry(line).or_default().retain(|it| it.number != ended.number);
            }
            Event::Custody(CustodyEvent::FileCut(cut)) => {
                self.files.insert(cut.file, Day::of(happened.effective_at));
                let entries = cut.items.iter().map(|it| ((it.transaction, it.direction), cut.file));
                self.entries.extend(entries);
            }
            _ => {}
        }
    }

    /// Returns the file with the entry of an item. The item of a return has the entry that came back.
    pub(crate) fn file_of(&self, transaction: TransactionId, account: LedgerAccount) -> Option<FileId> {
        let directions: &[Direction] = match account {
            LedgerAccount::RailIn(_) | LedgerAccount::ReturnOut => &[Direction::Pull],
            LedgerAccount::RailOut(_) | LedgerAccount::ReturnIn => &[Direction::Refund, Direction::Push],
            _ => &[],
        };
        directions.iter().find_map(|direction| self.entries.get(&(transaction, *direction)).copied())
    }
}
