//! Plain-text accounting: every event that moves money as a transaction, and assertions of what must come of them.
//!
//! Pure: from events to text. Programs sort by date themselves, so transactions stand in the order of the log. Dates are
//! effective ones, in UTC.

mod beancount;
mod book;
mod hledger;
#[cfg(test)]
mod tests;

pub use beancount::Beancount;
pub use book::Book;
use daybook_domain::calendar::Day;
use daybook_domain::posting::{LedgerAccount, Postings};
use daybook_domain::{Currency, PlatformId};
pub use hledger::Hledger;

/// What a transaction is written from.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// The day on which it counts.
    pub day: Day,
    /// The event's own id.
    pub id: &'a str,
    /// Its place in the log.
    pub position: u64,
    /// What happened: the event's public name.
    pub name: &'a str,
    /// To which platform.
    pub platform: PlatformId,
    /// To which aggregate.
    pub stream: &'a str,
    /// What moved.
    pub postings: &'a Postings,
}

/// How a program wants it written. Each text ends with a line's end.
pub trait Dialect {
    /// What a file begins with.
    fn header(&self, text: &mut String);

    /// Says that there is a currency; before it is first used.
    fn currency(&self, currency: Currency, text: &mut String);

    /// Says that there is an account; before it is first used.
    fn open(&self, account: LedgerAccount, text: &mut String);

    /// A transaction.
    fn entry(&self, entry: &Entry<'_>, text: &mut String);

    /// Says what lies on an account at the end of a day, exactly: minor units, debit positive.
    fn assert(&self, day: Day, account: LedgerAccount, sum: i128, currency: Currency, text: &mut String);

    /// What a file ends with.
    fn end(&self, position: u64, text: &mut String);
}
