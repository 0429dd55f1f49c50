//! Content of an entry in a bank's file: a return of an outgoing entry, or a notice that a person must check.

use std::sync::LazyLock;

use daybook_domain::calendar::ReturnCode;
use daybook_domain::data_lines;

use super::lines::Record;
use super::record::Totals;
use crate::rails::file::{FileError, is_digits, is_routing_num};
use crate::rails::incoming::error;

const OTHER_CODES: &str = include_str!("other_codes.txt");

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| data_lines(OTHER_CODES).filter_map(Row::parse).collect());

/// An entry of a file, with its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Line on which the entry begins, from 1.
    pub line: usize,
    /// Trace of the original outgoing entry: fifteen digits, unless the entry is unreadable.
    pub trace: String,
    /// Code as written in the file.
    pub code: String,
    /// Amount in minor units, zero or more.
    pub amount_minor: i64,
    /// Content of the entry.
    pub content: Content,
}

/// Content of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A return of an outgoing entry.
    Returned(ReturnCode),
    /// Another notice, with a code of the rules and its title.
    Other(Notice, &'static str),
    /// A code that the rules do not contain.
    UnknownCode,
    /// An entry with an invalid field.
    Unreadable(FileError),
}

/// A notice of a bank other than a return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Notification of change: the account details that we sent are out of date.
    Change,
    /// A bank refuses a notification of change that we sent.
    RefusedChange,
    /// A bank refuses a return that we sent (dishonored return).
    Dishonored,
    /// A bank contests that we dishonored its return.
    Contested,
}

/// A line of the data file.
struct Row {
    code: &'static str,
    notice: Notice,
    title: &'static str,
}

impl Row {
    fn parse(line: &'static str) -> Option<Self> {
        let mut parts = line.splitn(3, ' ');
        let code = parts.next().filter(|code| code.len() == 3)?;
        let notice = match parts.next()? {
            "change" => Notice::Change,
            "refused" => Notice::RefusedChange,
            "dishonored" => Notice::Dishonored,
            "contested" => Notice::Contested,
            _ => return None,
        };
        let title = parts.next().filter(|title| !title.is_empty())?;
        Some(Self { code, notice, title })
    }
}

/// Builds the entry from a record and its addenda. The amount is taken from `sums`.
pub(super) fn entry(record: &Record, addenda: &[Record], sums: Totals) -> Entry {
    let reason = addenda.iter().find(|addenda| ["98", "99"].contains(&addenda.columns(2, 3)));
    let [code, trace] = [(4, 6), (7, 21)]
        .map(|(first, last)| reason.map_or("", |reason| reason.columns(first, last)).to_owned());
    let content = check(record, addenda.first(), reason).map_or_else(Content::Unreadable, |()| {
        let other = ROWS.iter().find(|row| row.code == code);
        let is_return = reason.is_some_and(|reason| reason.columns(2, 3) == "99");
        match (code.parse(), other) {
            (Ok(code), _) if is_return => Content::Returned(code),
            (_, Some(row)) if is_return != row.code.starts_with('C') => Content::Other(row.notice, row.title),
            _ => Content::UnknownCode,
        }
    });
    // The amount has ten digits, and either the debit or the credit is zero.
    let amount_minor = i64::try_from(sums.debit.max(sums.credit)).unwrap_or(i64::MAX);
    Entry { line: record.line, trace, code, amount_minor, content }
}

/// Checks the fields of an entry and of the addenda record with the reason.
fn check(record: &Record, first: Option<&Record>, reason: Option<&Record>) -> Result<(), FileError> {
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
    reason.expect(80, 94, trace, addenda("trace"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_codes_are_no_return_codes() {
        let lines = data_lines(OTHER_CODES).count();
        assert_eq!(ROWS.len(), lines);
        assert!(ROWS.windows(2).all(|pair| pair[0].code < pair[1].code));
        let of = |notice| {
            let codes = ROWS.iter().filter(|row| row.notice == notice).map(|row| row.code);
            codes.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of(Notice::Change), "C01 C02 C03 C04 C05 C06 C07 C08 C09 C13 C14");
        assert_eq!(of(Notice::RefusedChange), "C61 C62 C63 C64 C65 C66 C67 C68 C69");
        assert_eq!(of(Notice::Dishonored), "R61 R62 R67 R68 R69 R70");
        assert_eq!(of(Notice::Contested), "R71 R72 R73 R74 R75 R76 R77");
        assert!(ROWS.iter().all(|row| row.code.parse::<ReturnCode>().is_err()));
    }
}
