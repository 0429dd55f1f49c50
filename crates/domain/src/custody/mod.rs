//! Custody: a platform's account at a bank, with the files handed to the bank and the balances that the bank states.

pub mod account;
pub mod book;
pub mod clear;
pub mod cut;
pub mod event;
pub mod refusal;
pub mod rules;

use std::collections::BTreeMap;

pub use account::AccountNumber;
pub use clear::Line;
pub use event::{
    AccountSet, Authorizations, Booked, BreaksMatched, CutOff, Event, FileCut, FileSent, Item, Opened,
    RulesSet, StatementAccepted, StatementBooked, StatementCompleted,
};
pub use refusal::Refusal;
pub use rules::Rules;
use serde::{Deserialize, Serialize};

use crate::aggregate::{Aggregate, Kind};
use crate::bank::Bank;
use crate::calendar::Day;
use crate::id::{FileId, PlatformId, StatementId};
use crate::money::Currency;
use crate::time::Timestamp;

/// State of an account at a bank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Custody {
    /// Platform whose customers own the money.
    pub platform: PlatformId,
    /// The bank.
    pub bank: Bank,
    /// True if the bank is simulated, statements included.
    pub sandbox: bool,
    /// Day on which the account was opened.
    pub opened_on: Day,
    /// Day and closing balance (minor units) of the newest statement in each currency.
    pub statements: BTreeMap<Currency, (Day, i64)>,
    /// Number of files cut so far.
    pub files: u64,
    /// Number of entries of files numbered so far.
    pub traces: u64,
    /// Files that are cut and not handed over yet.
    pub unsent: Vec<FileId>,
    /// Statements that have lines to take back or to book, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub booking: Vec<StatementId>,
    /// Number of the account at the bank; `None` as long as the service's own number counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<AccountNumber>,
    /// Matching rules; `None` as long as the built-in ones hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<Rules>,
    /// Number of runs of the matching rules that were due so far.
    #[serde(default, skip_serializing_if = "crate::event::is_zero")]
    pub runs_due: u32,
    /// Number of runs that are done.
    #[serde(default, skip_serializing_if = "crate::event::is_zero")]
    pub runs_done: u32,
}

impl Custody {
    /// The matching rules.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.rules.clone().unwrap_or_else(Rules::built_in)
    }

    /// Version of the matching rules; 0 for the built-in ones.
    #[must_use]
    pub fn rules_version(&self) -> u32 {
        self.rules.as_ref().map_or(0, |rules| rules.version)
    }

    /// Closing balance of the newest statement, in minor units; 0 before the first statement.
    #[must_use]
    pub fn balance(&self, currency: Currency) -> i64 {
        self.statements.get(&currency).map_or(0, |(_, balance)| *balance)
    }

    /// Day of the newest statement; before the first one, the day before the account was opened.
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
                booking: vec![],
                account: None,
                rules: None,
                runs_due: 0,
                runs_done: 0,
            }),
            Event::StatementBooked(_)
            | Event::FileCut(_)
            | Event::FileSent(_)
            | Event::StatementAccepted(_)
            | Event::StatementCompleted(_)
            | Event::AccountSet(_)
            | Event::RulesSet(_)
            | Event::BreaksMatched(_) => None,
        }
    }

    fn evolve(&mut self, event: &Event, _at: Timestamp) {
        match event {
            // Always the first event of its stream.
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
            Event::StatementAccepted(accepted) => {
                if accepted.day >= self.stated_on(accepted.currency) {
                    self.statements.insert(accepted.currency, (accepted.day, accepted.closing));
                }
                // The newest day is taken back first, and the oldest is booked first.
                self.booking.splice(0..0, accepted.takes_back);
                self.booking.extend((accepted.lines > 0).then_some(accepted.statement));
            }
            Event::StatementCompleted(completed) => {
                self.booking.retain(|statement| *statement != completed.statement);
                self.runs_due = self.runs_due.saturating_add(completed.to_match.into());
            }
            Event::AccountSet(set) => self.account = Some(set.account.clone()),
            Event::RulesSet(set) => {
                self.rules = Some(Rules { version: set.version, set: set.rules.clone() });
                self.runs_due = self.runs_due.saturating_add(1);
            }
            Event::BreaksMatched(ended) => self.runs_done = ended.runs,
        }
    }
}
