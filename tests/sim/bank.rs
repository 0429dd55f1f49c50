//! A naive model of the bank: entries of files, money from other sources, and returns.

use std::collections::BTreeMap;

use daybook_domain::calendar::Day;
use daybook_domain::custody::Line;
use daybook_domain::custody::book::BookStatement;
use daybook_domain::custody::{Event as CustodyEvent, FileCut};
use daybook_domain::transaction::{Direction, Event as TransactionEvent};
use daybook_domain::{
    Actor, Command, Currency, Event, FileId, Kind, Origin, TransactionId, testing::fixture::CUSTODY,
};
use daybook_projector::RecordedEvent;
use daybook_random::Random;

use crate::auditor::{Auditor, Side, open_items};

/// State of the bank.
#[derive(Default)]
pub(crate) struct Bank {
    files: BTreeMap<FileId, FileCut>,
    /// Movements that are in no statement yet.
    waiting: BTreeMap<Currency, Vec<(i64, Option<TransactionId>)>>,
    balance: BTreeMap<Currency, i64>,
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

    fn moved(&mut self, currency: Currency, amount: i64, transaction: Option<TransactionId>) {
        self.waiting.entry(currency).or_default().push((amount, transaction));
    }

    /// Handles an event that concerns the bank: a file, money that came without a file, or a return.
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
                    self.moved(currency, amount, Some(item.transaction));
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
                    self.moved(deal.amount.currency, deal.net(), Some(id));
                }
                Some(Direction::Pull) if deal.left(Direction::Pull) => {
                    self.moved(deal.amount.currency, -deal.amount.minor, Some(id));
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// Creates the statement of `day`. Some statements have a line in two parts, an unknown line, or a line that nets
    /// two others.
    pub(crate) fn state(
        &self,
        random: &mut Random,
        auditor: &Auditor,
        currency: Currency,
        day: Day,
    ) -> Command {
        let mut lines = self.waiting.get(&currency).cloned().unwrap_or_default();
        if random.once_in(6) && !lines.is_empty() {
            let place = random.below(lines.len());
            let (amount, transaction) = lines[place];
            // Parts of a transaction with two legs would be ambiguous.
            let is_told = transaction.is_none_or(|id| !has_two_legs(id, auditor));
            let part = if is_told { amount / 3 } else { 0 };
            if part != 0 {
                lines[place].0 -= part;
                lines.push((part, transaction));
            }
        }
        if random.once_in(8) {
            // The line has no known transaction, or names a transaction in another currency.
            let foreign = auditor.deals.iter().filter(|(_, deal)| deal.amount.currency != currency);
            let mut open = foreign.filter_map(|(id, deal)| Some((open_items(deal).first()?.1, Some(*id))));
            let amount = random.between(1, 30) * random.one_of(&[1, -1]);
            lines.push(open.next().filter(|_| random.once_in(2)).unwrap_or((amount, None)));
        }
        if random.once_in(4) {
            net(&mut lines, auditor);
        }
        let opening = self.balance(currency);
        let closing = opening + lines.iter().map(|(amount, _)| amount).sum::<i64>();
        let line = |(number, (amount, transaction)): (usize, &(i64, Option<TransactionId>))| Line {
            id: format!("L{number}"),
            amount: *amount,
            transaction: *transaction,
        };
        let lines = lines.iter().enumerate().map(line).collect();
        let origin = Origin::of(Actor::Bank);
        let statement =
            BookStatement { custody: CUSTODY, currency, day, opening, closing, lines, origin, details: None };
        Command::BookStatement(Box::new(statement))
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

/// Replaces an entry and its return by one line with amount zero.
fn net(lines: &mut Vec<(i64, Option<TransactionId>)>, auditor: &Auditor) {
    for first in 0..lines.len() {
        let (amount, Some(id)) = lines[first] else { continue };
        let met = (first + 1..lines.len()).find(|other| lines[*other] == (-amount, Some(id)));
        if let Some(second) = met.filter(|_| !has_two_legs(id, auditor)) {
            lines.remove(second);
            lines[first] = (0, Some(id));
            return;
        }
    }
}

fn has_two_legs(id: TransactionId, auditor: &Auditor) -> bool {
    let deal = auditor.deals.get(&id);
    deal.is_some_and(|deal| deal.from.rail().is_some() && deal.to.rail().is_some())
}
