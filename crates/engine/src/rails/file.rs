//! Outgoing files: the payments of one rail that are sent to a bank together, and their originator.

use std::borrow::Cow;

use daybook_domain::calendar::Day;
use daybook_domain::id::FileId;
use daybook_domain::posting::Rail;
use daybook_domain::{Timestamp, TransactionId};

use super::ach::{EntryClass, Purpose};
use super::destination::Destination;

/// Largest sequence number of an entry: seven digits.
pub const MAX_SEQUENCE: u32 = 9_999_999;

/// Payments that are sent over one rail at one cut-off, with personal data in plain text.
#[derive(Clone)]
pub struct OutgoingFile {
    /// Id of the file.
    pub id: FileId,
    /// Rail of the file.
    pub rail: Rail,
    /// Time at which the file was cut.
    pub cut_at: Timestamp,
    /// Number of the file among those sent to this bank on the day, from 0. The format allows 36 files a day.
    pub of_day: u8,
    /// Requested day of settlement.
    pub effective: Day,
    /// Payments in the file.
    pub entries: Vec<OutgoingEntry>,
}

/// A payment in a file.
#[derive(Clone)]
pub struct OutgoingEntry {
    /// Transaction of the payment.
    pub transaction: TransactionId,
    /// Direction of the payment.
    pub direction: EntryDirection,
    /// Amount in minor units, above zero.
    pub amount_minor: i64,
    /// Sequence number at this bank, 1 to [`MAX_SEQUENCE`], above that of the previous entry. It is the last part of a
    /// trace, and the number of a check.
    pub sequence: u32,
    /// Source or destination of the payment.
    pub destination: Destination,
    /// Name of the person or business at the destination.
    pub name: String,
    /// The customer's note for the receiver. It is cut to the length of its field.
    pub addendum: Option<String>,
    /// Standard entry class; ACH only.
    pub class: EntryClass,
    /// Purpose of the entry.
    pub purpose: Purpose,
}

/// Direction of a payment, from our point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryDirection {
    /// Money moves to us.
    Pull,
    /// Money moves away from us.
    Push,
}

/// The sender of a file, as known to the bank.
#[derive(Clone)]
pub struct Originator {
    /// Routing number of the bank: nine digits. The first eight begin every trace.
    pub routing_num: String,
    /// Name of the bank.
    pub bank_name: String,
    /// Id of the company at the bank: up to ten characters.
    pub company_id: String,
    /// Name of the company.
    pub company_name: String,
    /// Account number of the company at the bank.
    pub account_num: String,
    /// Entry description that the receiver sees: up to ten characters, such as PAYMENT.
    pub description: String,
}

impl Originator {
    /// Returns the trace of the entry with this sequence number: fifteen digits, unique at the bank as long as the
    /// number is.
    ///
    /// # Errors
    ///
    /// [`Unfit`] unless the bank's routing number is valid and the sequence number is from 1 to [`MAX_SEQUENCE`].
    pub fn trace(&self, sequence: u32) -> Result<String, Unfit> {
        let bank = self.bank()?;
        if (1..=MAX_SEQUENCE).contains(&sequence) {
            Ok(format!("{bank}{sequence:07}"))
        } else {
            Err(Unfit::file("sequence"))
        }
    }

    /// Returns the first eight digits of the bank's routing number.
    pub(super) fn bank(&self) -> Result<&str, Unfit> {
        let known = is_routing_num(&self.routing_num).then(|| self.routing_num.get(..8)).flatten();
        known.ok_or(Unfit::file("originator.routing_num"))
    }
}

/// Reason why a file cannot be written: a value does not fit the format. The rest of the file may be sent without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} does not fit the file")]
pub struct Unfit {
    /// Transaction of the payment; none if the value concerns the whole file.
    pub transaction: Option<TransactionId>,
    /// Name of the field.
    pub field: &'static str,
}

impl Unfit {
    pub(super) const fn file(field: &'static str) -> Self {
        Self { transaction: None, field }
    }

    pub(super) const fn of(self, entry: &OutgoingEntry) -> Self {
        Self { transaction: Some(entry.transaction), field: self.field }
    }
}

/// Reason why a file from a bank is invalid, with the place and the text found there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, {record}, {field}: expected {expected}, found {found}")]
pub struct FileError {
    /// Line number, from 1.
    pub line: usize,
    /// Type of the record, as found or expected.
    pub record: &'static str,
    /// Name of the field.
    pub field: &'static str,
    /// Expected text.
    pub expected: Cow<'static, str>,
    /// Text found, in quotes and shortened.
    pub found: String,
}

/// Returns true for a routing number: nine digits with the checksum of the American Bankers Association.
#[must_use]
pub fn is_routing_num(text: &str) -> bool {
    let weights = [3, 7, 1].into_iter().cycle();
    let sum: u32 = text.bytes().zip(weights).map(|(digit, weight)| weight * u32::from(digit & 0x0f)).sum();
    text.len() == 9 && is_digits(text) && sum.is_multiple_of(10)
}

/// Returns true if the text consists of digits and is not empty.
pub(super) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Writes each payment of a file with its amount. Checks the rules that hold for every rail.
pub(super) fn write_entries(
    file: &OutgoingFile,
    rail: Rail,
    mut write: impl FnMut(&OutgoingEntry, u64) -> Result<(), Unfit>,
) -> Result<(), Unfit> {
    if file.rail != rail {
        return Err(Unfit::file("rail"));
    }
    if file.entries.is_empty() {
        return Err(Unfit::file("entries"));
    }
    let mut last = 0;
    for entry in &file.entries {
        if entry.sequence <= last || entry.sequence > MAX_SEQUENCE {
            return Err(Unfit::file("sequence").of(entry));
        }
        last = entry.sequence;
        let amount = u64::try_from(entry.amount_minor).ok().filter(|&amount| amount > 0);
        let written = amount.ok_or(Unfit::file("amount")).and_then(|amount| write(entry, amount));
        written.map_err(|unfit| unfit.of(entry))?;
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::rails::destination::AccountClass;

    pub(in crate::rails) fn originator() -> Originator {
        Originator {
            routing_num: "021000021".into(),
            bank_name: "First Bank".into(),
            company_id: "1234567890".into(),
            company_name: "Daybook Inc.".into(),
            account_num: "555000111".into(),
            description: "Payment".into(),
        }
    }

    pub(in crate::rails) fn checking() -> Destination {
        Destination::Account {
            routing_num: "091000019".into(),
            account_num: "12345678".into(),
            class: AccountClass::Checking,
            correspondent: None,
        }
    }

    pub(in crate::rails) fn entry(
        sequence: u32,
        direction: EntryDirection,
        amount_minor: i64,
    ) -> OutgoingEntry {
        OutgoingEntry {
            transaction: TransactionId::from_u128(
                0x0193_5a1c_2f00_1234_5678_9abc_def0_0000 + u128::from(sequence),
            ),
            direction,
            amount_minor,
            sequence,
            destination: checking(),
            name: "Ann Example".into(),
            addendum: None,
            class: EntryClass::Ppd,
            purpose: Purpose::Payment,
        }
    }

    pub(in crate::rails) fn file(rail: Rail, entries: Vec<OutgoingEntry>) -> OutgoingFile {
        let day = |text: &str| text.parse::<Day>().expect("a date");
        OutgoingFile {
            id: FileId::from_u128(0x0193_5a1c_2f00_1234_5678_9abc_def0_1234),
            rail,
            cut_at: day("2026-01-05").start().plus_ms((17 * 60 + 30) * 60_000),
            of_day: 0,
            effective: day("2026-01-06"),
            entries,
        }
    }

    /// A field name, with a change that makes an entry unfit in this field.
    pub(in crate::rails) type Unfitting = (&'static str, fn(&mut OutgoingEntry));

    /// Customer text that tries to break out of its field.
    pub(in crate::rails) const HOSTILE: [&str; 10] = [
        "a\nb",
        "a\r\n627091000019",
        "\"quoted\", with, commas",
        "{2000}000000000001",
        "end*{6000}",
        "\u{0}\u{7}\u{1b}[2J\t",
        "a\u{85}b\u{2028}c\u{2029}d",
        "Zoë Łukasiewicz-Groß 中文 😀",
        "=1+1",
        "long long long long long long long long long long long long long long long long long long long long long long",
    ];

    #[test]
    fn routing_number_has_a_checksum() {
        for text in ["021000021", "091000019", "123456780"] {
            assert!(is_routing_num(text), "{text}");
        }
        for text in ["", "021000022", "02100002", "0210000210", "02100002١", "02100002a", "         "] {
            assert!(!is_routing_num(text), "{text:?}");
        }
    }

    #[test]
    fn trace_joins_bank_and_sequence() {
        assert_eq!(originator().trace(7), Ok("021000020000007".into()));
        assert_eq!(originator().trace(MAX_SEQUENCE), Ok("021000029999999".into()));
        for sequence in [0, MAX_SEQUENCE + 1] {
            assert_eq!(originator().trace(sequence), Err(Unfit::file("sequence")));
        }
        let nowhere = Originator { routing_num: "0210é021".into(), ..originator() };
        assert_eq!(nowhere.trace(7), Err(Unfit::file("originator.routing_num")));
    }
}
