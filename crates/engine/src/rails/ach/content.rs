//! Content of an entry in a bank's file: a return of an outgoing entry, or a notice that a person must check.

use daybook_domain::calendar::ReturnCode;

use super::codes::Notice;
use super::correction::Correction;
use super::dispute::{Contested, Dishonored};
use super::lines::Record;
use super::record::Totals;
use crate::rails::file::{EntryDirection, FileError, is_digits, is_routing_num};
use crate::rails::incoming::error;

/// An entry of a file, with its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Line on which the entry begins, from 1.
    pub line: usize,
    /// Line of the addenda record with the code; that of the entry if it has none.
    pub code_line: usize,
    /// Trace of the original outgoing entry: fifteen digits, unless the entry is unreadable.
    pub trace: String,
    /// Code as written in the file.
    pub code: String,
    /// Direction of the original entry: a debit is a pull.
    pub direction: EntryDirection,
    /// Amount in minor units, zero or more.
    pub amount_minor: i64,
    /// Content of the entry.
    pub content: Content,
}

/// Content of an entry. A notice has the title of its code, and the data of its addenda record. Invalid data does not
/// change the notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A return of an outgoing entry.
    Returned(ReturnCode),
    /// Notification of change.
    Changed(&'static str, Result<Correction, FileError>),
    /// Refused notification of change.
    RefusedChange(&'static str),
    /// Dishonored return.
    Dishonored(&'static str, Result<Dishonored, FileError>),
    /// Contested dishonored return.
    Contested(&'static str, Result<Contested, FileError>),
    /// A code that the rules do not contain.
    UnknownCode,
    /// An entry with an invalid field.
    Unreadable(FileError),
}

/// Builds the entry from a record and its addenda. The amount is taken from `sums`. `is_international` is true in a
/// batch of international entries (IAT).
pub(super) fn entry(
    record: &Record,
    addenda: &[Record],
    (sums, direction): (Totals, EntryDirection),
    is_international: bool,
) -> Entry {
    let reason = addenda.iter().find(|addenda| ["98", "99"].contains(&addenda.columns(2, 3)));
    let [code, trace] = [(4, 6), (7, 21)]
        .map(|(first, last)| reason.map_or("", |reason| reason.columns(first, last)).to_owned());
    let content = match check(record, addenda.first(), reason) {
        Ok(reason) => content(record, reason, &code, is_international),
        Err(error) => Content::Unreadable(error),
    };
    // The amount has ten digits, and either the debit or the credit is zero.
    let amount_minor = i64::try_from(sums.debit.max(sums.credit)).unwrap_or(i64::MAX);
    let code_line = reason.map_or(record.line, |reason| reason.line);
    Entry { line: record.line, code_line, trace, code, direction, amount_minor, content }
}

/// Reads the addenda record with the reason, in the layout of its code.
fn content(record: &Record, reason: &Record, code: &str, is_international: bool) -> Content {
    let addenda_type = reason.columns(2, 3);
    match (code.parse(), Notice::of(code)) {
        (Ok(code), _) if addenda_type == "99" => Content::Returned(code),
        (_, Some((notice, title))) if addenda_type == notice.addenda_type() => match notice {
            Notice::Change => {
                // A notification moves no money.
                let amount = record.expect(30, 39, "0000000000", ("entry", "amount"));
                Content::Changed(title, amount.and_then(|()| Correction::read(reason, is_international)))
            }
            Notice::RefusedChange => Content::RefusedChange(title),
            Notice::Dishonored => Content::Dishonored(title, Dishonored::read(reason)),
            Notice::Contested => Content::Contested(title, Contested::read(reason)),
        },
        _ => Content::UnknownCode,
    }
}

/// Checks the fields of an entry, and those that all layouts of the addenda record with the reason share. Returns that
/// record.
fn check<'a>(
    record: &Record,
    first: Option<&Record>,
    reason: Option<&'a Record>,
) -> Result<&'a Record, FileError> {
    let entry = |field| ("entry", field);
    let is_code = |code: &str| code.starts_with(['2', '3', '4', '5']) && code.ends_with(['1', '6']);
    record.such((2, 3), entry("transaction code"), "that of a return, such as \"21\" or \"26\"", is_code)?;
    record.such((4, 12), entry("routing number"), "nine digits with their checksum", is_routing_num)?;
    record.expect(79, 79, "1", entry("addenda record indicator"))?;
    let trace = record.such((80, 94), entry("trace"), "digits", is_digits)?;
    let addenda = |field| ("addenda", field);
    let Some(reason) = reason else {
        let (line, found) = first.map_or((record.line, ""), |first| (first.line, first.columns(2, 3)));
        return Err(error(
            line,
            addenda("addenda type"),
            "\"99\", a return, or \"98\", a notification of change",
            found,
        ));
    };
    reason.such((7, 21), addenda("trace of the original entry"), "digits", is_digits)?;
    let is_date = |date: &str| date.trim().is_empty() || is_digits(date);
    reason.such((22, 27), addenda("date"), "a date or blanks", is_date)?;
    reason.such((28, 35), addenda("bank of the original entry"), "digits", is_digits)?;
    reason.expect(80, 94, trace, addenda("trace"))?;
    Ok(reason)
}
