//! What is handed to a bank: payments of one rail that leave together, and who sends them.

use std::borrow::Cow;

use daybook_domain::calendar::Day;
use daybook_domain::id::FileId;
use daybook_domain::posting::Rail;
use daybook_domain::{Timestamp, TransactionId};

use super::ach::{EntryClass, Purpose};
use super::destination::Destination;

/// The largest sequence of an entry: seven digits.
pub const MAX_SEQUENCE: u32 = 9_999_999;

/// Payments that leave over one rail at one cut-off. Personal data in the clear.
#[derive(Clone)]
pub struct OutgoingFile {
    /// Its id.
    pub id: FileId,
    /// The rail that it leaves by.
    pub rail: Rail,
    /// When it was closed.
    pub cut_at: Timestamp,
    /// Which of the day's files to this bank it is, from 0 on; 36 at most fit a day.
    pub of_day: u8,
    /// The day on which it should settle.
    pub effective: Day,
    /// The payments.
    pub entries: Vec<OutgoingEntry>,
}

/// One payment of a file.
#[derive(Clone)]
pub struct OutgoingEntry {
    /// The transaction that it is part of.
    pub transaction: TransactionId,
    /// Whether money is taken or given.
    pub direction: Direction,
    /// Minor units, above zero.
    pub amount_minor: i64,
    /// Its number at this bank, 1 to [`MAX_SEQUENCE`], above that of the entry before it: the end of its trace, and the
    /// number of a check.
    pub sequence: u32,
    /// Where the money comes from or goes to.
    pub destination: Destination,
    /// The name of the person or business there.
    pub name: String,
    /// The customer's note for the receiver; what is longer than its place is cut.
    pub addendum: Option<String>,
    /// The class of the entry; ACH alone has some.
    pub class: EntryClass,
    /// What it is for.
    pub purpose: Purpose,
}

/// Which way money moves, as we see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To us.
    Pull,
    /// Away from us.
    Push,
}

/// Who hands files to a bank.
#[derive(Clone)]
pub struct Originator {
    /// The bank's routing number: nine digits. The first eight begin every trace.
    pub routing_num: String,
    /// The bank's name.
    pub bank_name: String,
    /// Under which id the bank knows the company: up to ten characters.
    pub company_id: String,
    /// The company's name.
    pub company_name: String,
    /// The company's account at the bank.
    pub account_num: String,
    /// What the receiver reads about why: up to ten characters, such as PAYMENT.
    pub description: String,
}

impl Originator {
    /// The trace of the entry with this sequence: fifteen digits, unique at the bank as long as the sequence is.
    ///
    /// # Errors
    ///
    /// [`Unfit`] unless the bank's routing number is one and the sequence is from 1 to [`MAX_SEQUENCE`].
    pub fn trace(&self, sequence: u32) -> Result<String, Unfit> {
        let bank = self.bank()?;
        if (1..=MAX_SEQUENCE).contains(&sequence) {
            Ok(format!("{bank}{sequence:07}"))
        } else {
            Err(Unfit::file("sequence"))
        }
    }

    /// The first eight digits of its bank's routing number.
    pub(super) fn bank(&self) -> Result<&str, Unfit> {
        let known = is_routing_num(&self.routing_num).then(|| self.routing_num.get(..8)).flatten();
        known.ok_or(Unfit::file("originator.routing_num"))
    }
}

/// Why a file cannot be written: something has no place in its format. The rest of the file may be sent without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} does not fit the file")]
pub struct Unfit {
    /// Whose payment it is; none if it concerns all of the file.
    pub transaction: Option<TransactionId>,
    /// The field.
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

/// Why a file of the bank cannot be believed: where, and what stands there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, {record}, {field}: expected {expected}, found {found}")]
pub struct FileError {
    /// The line, from 1 on.
    pub line: usize,
    /// What sort of record it is, or should be.
    pub record: &'static str,
    /// The field.
    pub field: &'static str,
    /// What must stand there.
    pub expected: Cow<'static, str>,
    /// What stands there, in quotes and not longer than a reader needs.
    pub found: String,
}

/// Whether it is a bank's routing number: nine digits with the checksum of the American Bankers Association.
#[must_use]
pub fn is_routing_num(text: &str) -> bool {
    let weights = [3, 7, 1].into_iter().cycle();
    let sum: u32 = text.bytes().zip(weights).map(|(digit, weight)| weight * u32::from(digit & 0x0f)).sum();
    text.len() == 9 && is_digits(text) && sum.is_multiple_of(10)
}

/// Whether there are digits and nothing else.
pub(super) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Writes each of a file's payments with its amount, checking what holds for every rail.
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

    pub(in crate::rails) fn entry(sequence: u32, direction: Direction, amount_minor: i64) -> OutgoingEntry {
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

    /// A field, and a change to an entry by which it has no place.
    pub(in crate::rails) type Unfitting = (&'static str, fn(&mut OutgoingEntry));

    /// Text of customers that tries to be more than text.
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
    fn a_routing_number_has_its_checksum() {
        for text in ["021000021", "091000019", "123456780"] {
            assert!(is_routing_num(text), "{text}");
        }
        for text in ["", "021000022", "02100002", "0210000210", "02100002١", "02100002a", "         "] {
            assert!(!is_routing_num(text), "{text:?}");
        }
    }

    #[test]
    fn a_trace_is_the_bank_and_the_sequence() {
        assert_eq!(originator().trace(7), Ok("021000020000007".into()));
        assert_eq!(originator().trace(MAX_SEQUENCE), Ok("021000029999999".into()));
        for sequence in [0, MAX_SEQUENCE + 1] {
            assert_eq!(originator().trace(sequence), Err(Unfit::file("sequence")));
        }
        let nowhere = Originator { routing_num: "0210é021".into(), ..originator() };
        assert_eq!(nowhere.trace(7), Err(Unfit::file("originator.routing_num")));
    }
}
