//! Statement: a bank's record of one day of an account, as a file of the bank states it.
//!
//! A statement is accepted as a whole, by a small event. Its lines are booked afterwards, some at a time, so that a
//! statement of any length never holds up a payment.

pub mod accept;
pub mod book;
pub mod event;
pub mod keep;
pub mod refusal;

pub use event::{Accepted, Event, LinesBooked};
pub use refusal::Refusal;
use serde::{Deserialize, Serialize};

use crate::aggregate::{Aggregate, Kind};
use crate::calendar::Day;
use crate::id::{CustodyId, PlatformId};
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
            }),
            Event::LinesBooked(_) => None,
        }
    }

    fn evolve(&mut self, event: &Event, _at: Timestamp) {
        match event {
            // Always the first event of its stream.
            Event::Accepted(_) => {}
            Event::LinesBooked(booked) => {
                let count = u32::try_from(booked.lines.len()).unwrap_or(u32::MAX);
                self.booked = self.booked.saturating_add(count);
                for line in &booked.lines {
                    self.balance = self.balance.saturating_add(line.amount);
                    let is_unexplained = line.explains.is_none();
                    self.suspended =
                        self.suspended.saturating_add(if is_unexplained { line.amount } else { 0 });
                }
            }
        }
    }
}
