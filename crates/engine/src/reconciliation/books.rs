//! Fold of a platform's events up to a position. Memory grows with the open items, the lines in suspense, the statements,
//! and the matches and write-offs of the report, not with the number of events.

mod ending;

use std::collections::{BTreeMap, HashMap};

use daybook_domain::aggregate::Aggregate;
use daybook_domain::breaks::{self, Opened};
use daybook_domain::calendar::Day;
use daybook_domain::custody::{self, Custody};
use daybook_domain::statement::Statement;
use daybook_domain::{
    BreakId, Currency, Event, Kind, PlatformId, StatementId, Timestamp, TransactionId, statement, transaction,
};
use daybook_projector::{RecordedEvent, Sums};

use super::open::{OpenItems, moves_money};
use super::report::{MadeMatch, Period, StatedDay, WriteOff};

/// Format of a day that the sandbox's bank states without a file.
const SANDBOX: &str = "sandbox";

/// Fold of the events of one platform.
#[derive(Clone, Debug)]
pub struct Books {
    platform: PlatformId,
    period: Period,
    /// Position after which matches and write-offs are kept.
    after: u64,
    sums: Sums,
    custody: Option<Custody>,
    statements: Vec<(StatementId, Statement)>,
    /// Index of each statement.
    index: HashMap<StatementId, usize>,
    /// Days that the sandbox's bank stated without a file.
    days: Vec<StatedDay>,
    open: OpenItems,
    /// Parts of lines in suspense, in minor units. None of them is 0.
    left: BTreeMap<BreakId, i64>,
    /// Matches after the position, without line and currency.
    matches: Vec<MadeMatch>,
    write_offs: Vec<WriteOff>,
}

/// Records whose events [`Books`] does not keep, because most of them are closed. The report needs a part of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unknown {
    /// Breaks; the first event of each is needed.
    pub breaks: Vec<BreakId>,
    /// Transactions; the time of the last step that moved money is needed.
    pub transactions: Vec<TransactionId>,
}

/// Parts of the records in [`Unknown`].
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// First event of each break, with its position.
    pub breaks: HashMap<BreakId, (u64, Opened)>,
    /// Time of the last step of each transaction that moved money.
    pub transactions: HashMap<TransactionId, Timestamp>,
}

impl Books {
    /// Kinds of streams whose events are folded.
    pub const KINDS: [Kind; 5] =
        [Kind::Transaction, Kind::Custody, Kind::Operation, Kind::Statement, Kind::Break];

    /// Begins a fold. Matches and write-offs belong to the report if they were made after the position `after`.
    #[must_use]
    pub fn new(platform: PlatformId, period: Period, after: u64) -> Self {
        Self {
            platform,
            period,
            after,
            sums: Sums::default(),
            custody: None,
            statements: vec![],
            index: HashMap::new(),
            days: vec![],
            open: OpenItems::default(),
            left: BTreeMap::new(),
            matches: vec![],
            write_offs: vec![],
        }
    }

    /// Folds the next event of the log. Events of other platforms change nothing.
    pub fn add(&mut self, happened: &RecordedEvent) {
        if happened.platform != self.platform {
            return;
        }
        self.sums.add(happened.platform, &happened.event);
        match &happened.event {
            Event::Transaction(event) => self.transaction(happened, event),
            Event::Custody(event) => self.custody(happened, event),
            Event::Statement(event) => self.statement(happened, event),
            Event::Break(event) => self.line(happened, event),
            _ => {}
        }
    }

    fn transaction(&mut self, happened: &RecordedEvent, event: &transaction::Event) {
        let (id, day) = (TransactionId::from_u128(happened.key.id), Day::of(happened.effective_at));
        if let transaction::Event::WrittenOff(off) = event {
            let currency = self.open.write_off(id, off);
            if let Some(currency) = currency.filter(|_| happened.position > self.after) {
                let &transaction::WrittenOff { operation, account, amount } = off;
                let position = happened.position;
                let row = WriteOff { transaction: id, operation, account, currency, amount, day, position };
                self.write_offs.push(row);
            }
        } else if let Some(postings) = happened.event.postings() {
            self.open.post(id, postings, moves_money(event).then_some(happened.effective_at));
        }
    }

    fn custody(&mut self, happened: &RecordedEvent, event: &custody::Event) {
        match &mut self.custody {
            Some(custody) => custody.evolve(event, happened.effective_at),
            None => self.custody = Custody::begin(event, happened.effective_at),
        }
        if let custody::Event::StatementBooked(booked) = event {
            let lines = u32::try_from(booked.lines.len()).unwrap_or(u32::MAX);
            self.days.push(StatedDay {
                id: None,
                currency: booked.currency,
                day: booked.day,
                opening: booked.opening,
                closing: booked.closing,
                lines,
                booked: lines,
                format: SANDBOX.to_owned(),
                file: None,
                replaces: None,
                replaced_by: None,
            });
        }
    }

    fn statement(&mut self, happened: &RecordedEvent, event: &statement::Event) {
        let id = StatementId::from_u128(happened.key.id);
        if let Some((_, known)) = self.index.get(&id).and_then(|index| self.statements.get_mut(*index)) {
            known.evolve(event, happened.effective_at);
        } else if let Some(begun) = Statement::begin(event, happened.effective_at) {
            self.index.insert(id, self.statements.len());
            self.statements.push((id, begun));
        }
    }

    fn line(&mut self, happened: &RecordedEvent, event: &breaks::Event) {
        let id = BreakId::from_u128(happened.key.id);
        let (change, acted) = match event {
            breaks::Event::Opened(opened) => (opened.amount, None),
            breaks::Event::Withdrawn(_) => (self.left.get(&id).map_or(0, |left| left.saturating_neg()), None),
            breaks::Event::Matched(it) => {
                let amount = it.amount();
                (amount.saturating_neg(), Some((it.number, amount, Some(it.strategy), it.origin.by)))
            }
            breaks::Event::Unmatched(it) => {
                let amount = it.amount();
                (amount, Some((it.number, amount, None, it.origin.by)))
            }
        };
        let left = self.left.entry(id).or_default();
        *left = left.saturating_add(change);
        if *left == 0 {
            self.left.remove(&id);
        }
        let day = Day::of(happened.effective_at);
        if let Some((number, amount, strategy, by)) = acted.filter(|_| happened.position > self.after) {
            let (line, currency, position) = (String::new(), Currency::USD, happened.position);
            self.matches.push(MadeMatch { id, line, number, currency, amount, strategy, by, day, position });
        }
    }

    /// Returns the records of which a part has to be found for the report.
    #[must_use]
    pub fn unknown(&self) -> Unknown {
        let mut breaks: Vec<BreakId> = self.left.keys().copied().collect();
        breaks.extend(self.matches.iter().map(|it| it.id));
        breaks.sort_unstable();
        breaks.dedup();
        let transactions = self.open.iter().filter(|(_, items)| items.since.is_none()).map(|(id, _)| id);
        Unknown { breaks, transactions: transactions.collect() }
    }
}
