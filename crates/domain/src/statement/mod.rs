//! Statement: a bank's record of one day of an account, as a file of the bank states it.
//!
//! A statement is accepted as a whole, by a small event. Its lines are booked afterwards, some at a time, so that a
//! statement of any length never holds up a payment. A day that the bank states anew gets a statement that replaces the
//! old one, whose lines are taken back first.

pub mod accept;
pub mod book;
pub mod event;
pub mod refusal;
mod restate;
pub mod take_back;

pub use event::{Accepted, Event, LinesBooked, LinesTakenBack, Replaced};
pub use refusal::Refusal;
use serde::{Deserialize, Serialize};

use crate::aggregate::{Aggregate, Kind};
use crate::calendar::Day;
use crate::custody::clear::Clearing;
use crate::custody::{Booked, Custody};
use crate::id::{CustodyId, PlatformId, StatementId};
use crate::money::Currency;
use crate::time::Timestamp;

/// State of a statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// Platform whose customers own the money.
    pub platform: PlatformId,
    /// The account at the bank.
    pub custody: CustodyId,
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
    /// Number of lines that are booked.
    pub booked: u32,
    /// Balance after the last booked line, in minor units.
    pub balance: i64,
    /// Sum of the booked lines that no open item explains, in minor units.
    pub suspended: i64,
    /// SHA-256 of the file, in hexadecimal digits.
    pub file: String,
    /// Size of the file, in bytes.
    pub bytes: u64,
    /// Format of the file with its version.
    pub format: String,
    /// The statement that this one replaces, because the bank stated the day anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<StatementId>,
    /// The statement that replaces this one. Its lines are taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<StatementId>,
    /// Sum of the lines of later days that stay booked while lines of a replaced day move, in minor units.
    #[serde(default)]
    pub later: i64,
}

impl Statement {
    /// True if all lines are booked; of a replaced statement, if all are taken back.
    #[must_use]
    pub const fn is_completed(&self) -> bool {
        self.booked == if self.replaced_by.is_some() { 0 } else { self.lines }
    }

    /// Balance of the bank's ledger account after the last line that was booked or taken back, in minor units.
    #[must_use]
    pub const fn balance_at_bank(&self) -> i64 {
        self.balance.saturating_add(self.later)
    }

    /// Clearing of the lines of this statement from number `first` on.
    pub(crate) fn clearing<'a>(
        &self,
        custody: &'a Custody,
        (statement, first): (StatementId, u32),
    ) -> Clearing<'a> {
        let &Self { currency, day, .. } = self;
        Clearing { custody: self.custody, of: custody, currency, day, statement: Some(statement), first }
    }

    /// Adds the amounts of lines, with a sign of 1 or -1.
    fn count(&mut self, lines: &[Booked], sign: i64) {
        for line in lines {
            let amount = line.amount.saturating_mul(sign);
            self.balance = self.balance.saturating_add(amount);
            self.suspended = self.suspended.saturating_add(if line.explains.is_none() { amount } else { 0 });
        }
    }
}

impl Aggregate for Statement {
    type Event = Event;
    const KIND: Kind = Kind::Statement;

    fn begin(event: &Event, _at: Timestamp) -> Option<Self> {
        match event {
            Event::Accepted(accepted) => Some(Self {
                platform: accepted.platform,
                custody: accepted.custody,
                currency: accepted.currency,
                day: accepted.day,
                opening: accepted.opening,
                closing: accepted.closing,
                lines: accepted.lines,
                booked: 0,
                balance: accepted.opening,
                suspended: 0,
                file: accepted.file.clone(),
                bytes: accepted.bytes,
                format: accepted.format.clone(),
                replaces: accepted.replaces,
                replaced_by: None,
                later: accepted.later,
            }),
            Event::LinesBooked(_) | Event::Replaced(_) | Event::LinesTakenBack(_) => None,
        }
    }

    fn evolve(&mut self, event: &Event, _at: Timestamp) {
        match event {
            // Always the first event of its stream.
            Event::Accepted(_) => {}
            Event::LinesBooked(booked) => {
                self.booked = self.booked.saturating_add(count(&booked.lines));
                self.count(&booked.lines, 1);
            }
            Event::Replaced(replaced) => {
                self.replaced_by = Some(replaced.by);
                self.later = replaced.later;
            }
            Event::LinesTakenBack(back) => {
                self.booked = self.booked.saturating_sub(count(&back.lines));
                self.count(&back.lines, -1);
            }
        }
    }
}

fn count(lines: &[Booked]) -> u32 {
    u32::try_from(lines.len()).unwrap_or(u32::MAX)
}
