//! The platform of the year: its log, the processes, and the report.

use std::collections::HashMap;

use daybook_domain::breaks::Event as BreakEvent;
use daybook_domain::calendar::Day;
use daybook_domain::custody::Event as CustodyEvent;
use daybook_domain::operation::Act;
use daybook_domain::testing::fixture::{CUSTODY, PLATFORM};
use daybook_domain::time::DAY_MS;
use daybook_domain::transaction::Direction;
use daybook_domain::{BreakId, Command, Event, FileId, StatementId, States, Timestamp, TransactionId};
use daybook_engine::reconciliation::{Books, Completion, Found, Period, Report};
use daybook_engine::{Call, SHARD};
use daybook_projector::RecordedEvent;
use daybook_random::Random;
use tokio::runtime::Runtime;

use super::bank::{MadeBank, Movement};
use crate::ledger::{Ledger, Told};
use crate::processes::{Work, due};
use crate::{desk, matching};

/// The platform, with a running fold of its books.
pub(super) struct Platform<'a> {
    pub bank: MadeBank,
    pub told: Told,
    pub completion: Completion,
    pub events: Vec<RecordedEvent>,
    pub random: Random,
    ledger: Ledger<'a>,
    books: Books,
    found: Found,
    now_ms: i64,
    ids: u128,
    cut: HashMap<FileId, Vec<(TransactionId, i64)>>,
    /// Entries that were handed over, with their days.
    pub sent: Vec<(Day, TransactionId, i64)>,
}

impl<'a> Platform<'a> {
    pub(super) fn new(runtime: &'a Runtime, period: Period, seed: u64) -> Self {
        Self {
            bank: MadeBank::default(),
            told: Told::default(),
            completion: Completion::new(period.to),
            events: vec![],
            random: Random::branch(seed, 1),
            ledger: Ledger::new(runtime, Ledger::log(), SHARD),
            books: Books::new(PLATFORM, period, 0),
            found: Found::default(),
            now_ms: period.from.start().ms(),
            ids: 1 << 40,
            cut: HashMap::new(),
            sent: vec![],
        }
    }

    /// Sets the clock to an hour of a day.
    pub(super) fn go_to(&mut self, day: Day, hour: i64) {
        self.now_ms = day.start().ms() + hour * DAY_MS / 24;
    }

    pub(super) fn fresh(&mut self) -> u128 {
        self.ids += 1;
        self.ids
    }

    /// Executes a command, which must not be refused.
    pub(super) fn submit(&mut self, command: impl Into<Command>) {
        let batch = vec![(Call::of(SHARD), command.into())];
        let at = Timestamp::from_ms(self.now_ms);
        for (_, outcome) in self.ledger.submit(0, at, batch) {
            outcome.expect("is not refused");
        }
        for happened in self.ledger.news().expect("readable") {
            self.told.fold(&happened).expect("no hole");
            self.books.add(&happened);
            self.completion.add(&happened);
            self.hear(&happened);
            self.events.push(happened);
        }
    }

    /// Executes an act of an operator.
    pub(super) fn operate(&mut self, act: Act) {
        let id = self.fresh();
        self.submit(desk::request(id, act));
    }

    /// Tells the bank about files, and keeps the first events of breaks for the report.
    fn hear(&mut self, happened: &RecordedEvent) {
        match &happened.event {
            Event::Custody(CustodyEvent::FileCut(cut)) => {
                let sign = |direction| if direction == Direction::Pull { 1 } else { -1 };
                let items = cut.items.iter().map(|it| (it.transaction, sign(it.direction) * it.amount));
                self.cut.insert(cut.file, items.collect());
            }
            Event::Custody(CustodyEvent::FileSent(sent)) => {
                for (id, amount) in self.cut.remove(&sent.file).unwrap_or_default() {
                    self.bank.unstated.push(Movement { file: Some(sent.file), ..Movement::of(id, amount) });
                    self.sent.push((Day::of(happened.effective_at), id, amount));
                }
            }
            Event::Break(BreakEvent::Opened(opened)) => {
                let id = BreakId::from_u128(happened.key.id);
                self.found.breaks.insert(id, (happened.position, opened.clone()));
            }
            _ => {}
        }
    }

    /// Does everything that is due, for some seconds.
    pub(super) fn work(&mut self) {
        for _ in 0..40 {
            self.now_ms += 1_000;
            let at = Timestamp::from_ms(self.now_ms);
            for work in due(&self.told, at, false, &mut self.ids) {
                // The bank sends its statements on its own.
                let commands = match work {
                    Work::Ask(command) => vec![command],
                    // A later statement waits for the earlier ones.
                    Work::Book(id) if self.next_statement() != Some(id) => continue,
                    Work::Book(id) => matching::book(&self.told, &self.bank, &mut self.random, id),
                    Work::Match => matching::run(&self.told, &self.bank),
                    Work::State(_) => continue,
                };
                for command in commands {
                    self.submit(command);
                }
            }
        }
    }

    fn next_statement(&self) -> Option<StatementId> {
        self.told.custody(CUSTODY)?.booking.first().copied()
    }

    /// Returns the report up to now. Ages are those at the end of `day`.
    pub(super) fn report(&self, day: Day) -> Report {
        let stated_until = self.completion.stated_until().clone();
        self.books.clone().end(self.told.position, (day, stated_until), &self.found)
    }

    /// Returns the report of a period up to a position.
    pub(super) fn report_at(&self, period: Period, position: u64) -> Report {
        let mut books = Books::new(PLATFORM, period, 0);
        self.events.iter().take_while(|it| it.position <= position).for_each(|it| books.add(it));
        books.end(position, (period.to, self.completion.stated_until().clone()), &self.found)
    }
}
