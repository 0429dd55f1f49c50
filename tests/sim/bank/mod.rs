//! A naive model of the bank: entries of files, money from other sources, and returns. It states days as a whole, and from
//! some day on in files.

mod days;
mod sheets;

use std::collections::BTreeMap;

use daybook_domain::calendar::Day;
use daybook_domain::custody::book::BookStatement;
use daybook_domain::custody::{Event as CustodyEvent, FileCut};
use daybook_domain::transaction::{Direction, Event as TransactionEvent};
use daybook_domain::{
    Command, Currency, Event, FileId, Kind, StatementId, TransactionId, statement::Event as StatementEvent,
};
use daybook_projector::RecordedEvent;
use daybook_random::Random;
use sheets::Sheet;
pub(crate) use sheets::{FEE, SheetLine};

use crate::auditor::{Auditor, Side};

/// State of the bank.
#[derive(Default)]
pub(crate) struct Bank {
    /// True if it states days in files.
    pub(crate) has_files: bool,
    files: BTreeMap<FileId, FileCut>,
    /// Movements that are in no statement yet.
    waiting: BTreeMap<Currency, Vec<Movement>>,
    balance: BTreeMap<Currency, i64>,
    /// Statements in files, accepted or not.
    sheets: BTreeMap<StatementId, Sheet>,
    /// Number of movements so far.
    moved: u64,
}

/// A movement on the account.
#[derive(Clone, Debug)]
struct Movement {
    number: u64,
    amount: i64,
    transaction: Option<TransactionId>,
    file: Option<FileId>,
    is_return: bool,
}

impl Bank {
    /// Returns the balance of its last statement.
    pub(crate) fn balance(&self, currency: Currency) -> i64 {
        self.balance.get(&currency).copied().unwrap_or_default()
    }

    /// Returns true if all movements are in a statement.
    pub(crate) fn is_silent(&self) -> bool {
        self.waiting.values().all(Vec::is_empty)
    }

    /// Creates the statement of `day`, as a whole or in a file.
    pub(crate) fn state(
        &mut self,
        random: &mut Random,
        auditor: &Auditor,
        currency: Currency,
        day: Day,
    ) -> Command {
        if self.has_files {
            self.state_in_file(random, auditor, currency, day)
        } else {
            self.state_as_whole(random, auditor, currency, day)
        }
    }

    fn moved(
        &mut self,
        currency: Currency,
        amount: i64,
        transaction: Option<TransactionId>,
    ) -> &mut Movement {
        self.moved += 1;
        let (number, file, is_return) = (self.moved, None, false);
        let waiting = self.waiting.entry(currency).or_default();
        waiting.push(Movement { number, amount, transaction, file, is_return });
        let last = waiting.len() - 1;
        &mut waiting[last]
    }

    /// Handles an event that concerns the bank: a file, money that came without a file, a return, or an accepted statement.
    pub(crate) fn hear(&mut self, happened: &RecordedEvent, auditor: &Auditor) {
        let id = TransactionId::from_u128(happened.key.id);
        let deal = auditor.deals.get(&id).filter(|_| happened.key.kind == Kind::Transaction);
        match (&happened.event, deal) {
            (Event::Custody(CustodyEvent::FileCut(cut)), _) => {
                self.files.insert(cut.file, cut.clone());
            }
            (Event::Custody(CustodyEvent::FileSent(sent)), _) => {
                for item in self.files.remove(&sent.file).into_iter().flat_map(|cut| cut.items) {
                    let currency =
                        auditor.deals.get(&item.transaction).map_or(Currency::USD, |it| it.amount.currency);
                    let amount = if item.direction == Direction::Pull { item.amount } else { -item.amount };
                    self.moved(currency, amount, Some(item.transaction)).file = Some(sent.file);
                }
            }
            (Event::Transaction(TransactionEvent::Settled(_)), Some(deal)) => {
                if matches!(deal.from, Side::Outside(_)) {
                    self.moved(deal.amount.currency, deal.amount.minor, Some(id));
                } else if matches!(deal.to, Side::Outside(_)) {
                    self.moved(deal.amount.currency, -deal.amount.minor, Some(id));
                }
            }
            (Event::Transaction(TransactionEvent::Returned(returned)), Some(deal)) => match returned.leg {
                Some(Direction::Push) if deal.left(Direction::Push) => {
                    self.moved(deal.amount.currency, deal.net(), Some(id)).is_return = true;
                }
                Some(Direction::Pull) if deal.left(Direction::Pull) => {
                    self.moved(deal.amount.currency, -deal.amount.minor, Some(id)).is_return = true;
                }
                _ => {}
            },
            (Event::Statement(StatementEvent::Accepted(accepted)), _) => {
                self.accepted(StatementId::from_u128(happened.key.id), accepted.replaces);
            }
            _ => {}
        }
    }

    /// Returns the number of movements that wait for a statement.
    pub(crate) fn waits(&self, currency: Currency) -> usize {
        self.waiting.get(&currency).map_or(0, Vec::len)
    }

    /// Records that a statement was booked which contains the first `count` waiting movements.
    pub(crate) fn stated(&mut self, statement: &BookStatement, count: usize) {
        self.balance.insert(statement.currency, statement.closing);
        let waiting = self.waiting.entry(statement.currency).or_default();
        waiting.drain(..count.min(waiting.len()));
    }
}
