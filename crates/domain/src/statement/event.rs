//! Events of a bank's statement.

use serde::{Deserialize, Serialize};

use crate::actor::Origin;
use crate::calendar::Day;
use crate::custody::Booked;
use crate::event::{Payload, events};
use crate::id::{CustodyId, PlatformId, StatementId};
use crate::money::Currency;
use crate::posting::Postings;

events! { Statement:
    /// The statement was accepted: all counts, totals and balances of its file hold.
    Accepted = 120 v 1 "statement.accepted",
    /// The next lines of the statement were booked.
    LinesBooked = 121 v 1 "statement.lines_booked",
    /// The bank states the day anew: the lines of this statement are taken back.
    Replaced = 122 v 1 "statement.replaced",
    /// The last booked lines of a replaced statement were taken back.
    LinesTakenBack = 123 v 1 "statement.lines_taken_back",
}

/// The statement was accepted. Its lines and the file are in attachments, whose ids follow from the file's hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
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
    /// Format of the file with its version, such as `camt.053.001.08`.
    pub format: String,
    /// SHA-256 of the file, in hexadecimal digits.
    pub file: String,
    /// Size of the file, in bytes.
    pub bytes: u64,
    /// The statement of this day that it replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<StatementId>,
    /// Sum of the lines of later days that stay booked while the day is booked anew, in minor units.
    #[serde(default, skip_serializing_if = "crate::event::is_zero")]
    pub later: i64,
    /// Origin of the file.
    pub origin: Origin,
}

impl Payload for Accepted {}

/// The next lines of the statement were booked. The transaction of a cleared item records that
/// (`transaction.cleared`); the postings here are those of unexplained lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinesBooked {
    /// Number of the first of the lines, from 0.
    pub first: u32,
    /// The lines in the order of the file.
    pub lines: Vec<Booked>,
    /// Bank against suspense, for the lines that no open item explains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postings: Option<Postings>,
    /// Origin of the booking.
    pub origin: Origin,
}

impl Payload for LinesBooked {}

/// The bank states the day of this statement anew. Its booked lines are taken back before those of the new statement are
/// booked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replaced {
    /// The statement that replaces it.
    pub by: StatementId,
    /// Sum of the lines of later days that stay booked meanwhile, in minor units.
    #[serde(default, skip_serializing_if = "crate::event::is_zero")]
    pub later: i64,
    /// Origin of the new statement.
    pub origin: Origin,
}

impl Payload for Replaced {}

/// The last booked lines of a replaced statement were taken back. The transaction of a cleared item records that
/// (`transaction.reopened`); the postings here are those of unexplained lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinesTakenBack {
    /// Number of the first of the lines, from 0.
    pub first: u32,
    /// The lines as they were booked, in the order of the file.
    pub lines: Vec<Booked>,
    /// Suspense against bank, for the lines that no open item explained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postings: Option<Postings>,
    /// Origin of the step.
    pub origin: Origin,
}

impl Payload for LinesTakenBack {}
