//! Plain-text accounting: every event that moves money as a transaction, and assertions of the resulting balances.
//!
//! The module converts events to text and does no I/O. Transactions have the order of the log, because the programs
//! sort by date themselves. Dates are effective dates in UTC.

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

/// Data of one transaction.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// Effective day.
    pub day: Day,
    /// Id of the event.
    pub id: &'a str,
    /// Position of the event in the log.
    pub position: u64,
    /// Public name of the event.
    pub name: &'a str,
    /// Platform of the event.
    pub platform: PlatformId,
    /// Id of the event's aggregate.
    pub stream: &'a str,
    /// Postings of the event.
    pub postings: &'a Postings,
}

/// Syntax of an accounting program. Each text ends with a newline.
pub trait Dialect {
    /// Writes the beginning of the file.
    fn header(&self, text: &mut String);

    /// Declares a currency before its first use.
    fn currency(&self, currency: Currency, text: &mut String);

    /// Declares an account before its first use.
    fn open(&self, account: LedgerAccount, text: &mut String);

    /// Writes a transaction.
    fn entry(&self, entry: &Entry<'_>, text: &mut String);

    /// Asserts the balance of an account at the end of a day, exactly. Minor units; debit is positive.
    fn assert(&self, day: Day, account: LedgerAccount, sum: i128, currency: Currency, text: &mut String);

    /// Writes the end of the file: the position `at` which the log was read.
    fn end(&self, at: &str, text: &mut String);
}
