//! Events of a bank's statement.

use serde::{Deserialize, Serialize};

use crate::actor::Origin;
use crate::calendar::Day;
use crate::custody::Booked;
use crate::event::{Payload, events};
use crate::id::{CustodyId, PlatformId};
use crate::money::Currency;
use crate::posting::Postings;

events! { Statement:
    /// The statement was accepted: all counts, totals and balances of its file hold.
    Accepted = 120 v 1 "statement.accepted",
    /// The next lines of the statement were booked.
    LinesBooked = 121 v 1 "statement.lines_booked",
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
