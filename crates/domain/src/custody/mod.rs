//! Custody: a platform's account at a bank. What was handed to the bank, and what the bank says is there.

pub mod book;
pub mod cut;
pub mod event;
pub mod refusal;

use std::collections::BTreeMap;

pub use event::{Authorizations, Booked, CutOff, Event, FileCut, FileSent, Item, Opened, StatementBooked};
pub use refusal::Refusal;
use serde::{Deserialize, Serialize};

use crate::aggregate::{Aggregate, Kind};
use crate::bank::Bank;
use crate::calendar::Day;
use crate::id::{FileId, PlatformId};
use crate::money::Currency;
use crate::time::Timestamp;

/// An account at a bank as its events tell it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Custody {
    /// Whose customers' money it is.
    pub platform: PlatformId,
    /// The bank.
    pub bank: Bank,
    /// Whether the bank is simulated, statements included.
    pub sandbox: bool,
    /// Since when there is such an account.
    pub opened_on: Day,
    /// The closing balance of the newest statement in each currency, in minor units, and its day.
    pub statements: BTreeMap<Currency, (Day, i64)>,
    /// How many files were cut so far.
    pub files: u64,
    /// How many entries of files were numbered so far.
    pub traces: u64,
    /// Files that were cut and not handed over yet.
    pub unsent: Vec<FileId>,
}

impl Custody {
    /// What the bank's newest statement says, in minor units; 0 before the first.
    #[must_use]
    pub fn balance(&self, currency: Currency) -> i64 {
        self.statements.get(&currency).map_or(0, |(_, balance)| *balance)
    }

    /// The day of the newest statement, or that before the account was opened.
    #[must_use]
    pub fn stated_on(&self, currency: Currency) -> Day {
        self.statements.get(&currency).map_or(self.opened_on.plus_days(-1), |(day, _)| *day)
    }
}

impl Aggregate for Custody {
    type Event = Event;
    const KIND: Kind = Kind::Custody;

    fn begin(event: &Event, at: Timestamp) -> Option<Self> {
        match event {
            Event::Opened(opened) => Some(Self {
                platform: opened.platform,
                bank: opened.bank,
                sandbox: opened.sandbox,
                opened_on: Day::of(at),
                statements: BTreeMap::new(),
                files: 0,
                traces: 0,
                unsent: vec![],
            }),
            Event::StatementBooked(_) | Event::FileCut(_) | Event::FileSent(_) => None,
        }
    }

    fn evolve(&mut self, event: &Event, _at: Timestamp) {
        match event {
            // Only ever the first event of its stream.
            Event::Opened(_) => {}
            Event::StatementBooked(booked) => {
                self.statements.insert(booked.currency, (booked.day, booked.closing));
            }
            Event::FileCut(cut) => {
                self.traces = self.traces.saturating_add(cut.items.len() as u64);
                self.files = self.files.saturating_add(1);
                self.unsent.push(cut.file);
            }
            Event::FileSent(sent) => self.unsent.retain(|file| *file != sent.file),
        }
    }
}
