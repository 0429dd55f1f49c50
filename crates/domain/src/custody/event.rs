//! What happens to an account at a bank.

use serde::{Deserialize, Serialize};

use crate::actor::Origin;
use crate::bank::Bank;
use crate::calendar::Day;
use crate::event::{Payload, carries_a_box, events};
use crate::id::{FileId, PlatformId, TransactionId};
use crate::money::Currency;
use crate::posting::{LedgerAccount, Postings, Rail};
use crate::sealed::Sealed;
use crate::time::Timestamp;
use crate::transaction::Direction;

events! { Custody:
    /// It was opened, with the platform.
    Opened = 60 v 1 "custody.opened",
    /// The bank's statement of a day was booked.
    StatementBooked = 61 v 1 "custody.statement_booked",
    /// What a rail sends at a cut-off was put into a file.
    FileCut = 62 v 1 "custody.file_cut",
    /// The bank took the file.
    FileSent = 63 v 1 "custody.file_sent",
}

/// The account was opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// Whose customers' money it is.
    pub platform: PlatformId,
    /// The bank.
    pub bank: Bank,
    /// Whether the bank is simulated.
    pub sandbox: bool,
}

impl Payload for Opened {}

/// The bank's statement of a day was booked. What a line explains is told by the transaction that it explains
/// (`transaction.cleared`); the postings here are those of the lines that nobody explains yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementBooked {
    /// The currency of all amounts.
    pub currency: Currency,
    /// The day.
    pub day: Day,
    /// The balance before the first line, in minor units.
    pub opening: i64,
    /// The balance after the last line.
    pub closing: i64,
    /// The lines in the bank's order.
    pub lines: Vec<Booked>,
    /// Bank against suspense, for what is not explained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postings: Option<Postings>,
    /// Who brought it.
    pub origin: Origin,
    /// Box, class profile of the platform's own user: the bank's descriptions, line by line.
    #[serde(skip)]
    pub details: Option<Sealed>,
}

carries_a_box!(StatementBooked.details);

/// A line of a statement, and what explains it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Booked {
    /// The bank's id of the line, unique in the statement.
    pub id: String,
    /// Minor units; positive came onto the account.
    pub amount: i64,
    /// The open item that it explains; none if it lies in suspense.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explains: Option<(TransactionId, LedgerAccount)>,
}

/// What a rail sends at a cut-off was put into a file, which is rendered from this and handed to the bank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileCut {
    /// The file.
    pub file: FileId,
    /// The rail.
    pub rail: Rail,
    /// Which file to this bank it is, from 0 on.
    pub number: u64,
    /// The entries, in order.
    pub items: Vec<Item>,
    /// The cut-off at which it was; none in events from before cut-offs had a time zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_off: Option<CutOff>,
    /// How consumers authorize pulls, which decides about the classes of entries; none for other rails than ACH, and in
    /// events from before there were classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorizations: Option<Authorizations>,
}

impl Payload for FileCut {}

/// A moment at which a bank closes a file, as it was resolved then: later tables of time zones change nothing about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutOff {
    /// The moment.
    pub at: Timestamp,
    /// The bank's day, in the bank's time zone.
    pub day: Day,
}

/// How the consumers of a platform authorize pulls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Authorizations {
    /// Over the internet.
    Internet,
    /// In writing.
    Written,
}

/// An entry of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// The transaction.
    pub transaction: TransactionId,
    /// Which leg of it.
    pub direction: Direction,
    /// Minor units.
    pub amount: i64,
    /// Its number: 1 to 9,999,999, then from 1 again.
    pub trace: u32,
}

/// The bank took the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSent {
    /// The file.
    pub file: FileId,
}

impl Payload for FileSent {}
