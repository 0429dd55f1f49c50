//! Physical records of an incoming ACH file, and access to their columns.

use super::record::{RECORD_CHARS, Totals};
use crate::rails::file::{FileError, is_digits};
use crate::rails::incoming::{columns, ends_early, error, lines};

/// The records of a file, in order. Blank lines are skipped.
pub(super) struct Records {
    all: Vec<Record>,
    next: usize,
    end: usize,
}

/// A record. Columns are counted from 1 and inclusive, as in the Nacha rules.
#[derive(Clone)]
pub(super) struct Record {
    pub(super) line: usize,
    text: String,
}

impl Records {
    pub(super) fn of(text: &str) -> Result<Self, FileError> {
        let lines = lines(text, RECORD_CHARS);
        let end = lines.iter().rposition(|(_, text)| !text.trim_end().is_empty()).map_or(1, |last| last + 1);
        let mut all = Vec::with_capacity(lines.len());
        for (line, text) in lines.iter().filter(|(_, text)| !text.trim_end().is_empty()) {
            let columns = columns(text, RECORD_CHARS);
            let unlike = || error(*line, ("record", "record"), "94 characters that can be printed", text);
            all.push(Record { line: *line, text: columns.ok_or_else(unlike)? });
        }
        Ok(Self { all, next: 0, end })
    }

    /// Returns the next record. `expected` names it in the error.
    pub(super) fn next(&mut self, expected: &'static str) -> Result<Record, FileError> {
        let record = self.all.get(self.next).cloned().ok_or_else(|| ends_early(self.end, expected))?;
        self.next += 1;
        Ok(record)
    }

    /// Returns the next record if it begins with `kind`.
    pub(super) fn next_of(&mut self, kind: &str) -> Option<Record> {
        let record = self.all.get(self.next).filter(|record| record.kind() == kind).cloned()?;
        self.next += 1;
        Some(record)
    }

    /// Returns the number of records read.
    pub(super) fn read(&self) -> usize {
        self.next
    }

    /// Returns the records that were not read.
    pub(super) fn rest(&self) -> &[Record] {
        self.all.get(self.next..).unwrap_or_default()
    }
}

/// A field: the name of its record and its own name.
pub(super) type Field = (&'static str, &'static str);

impl Record {
    pub(super) fn kind(&self) -> &str {
        self.columns(1, 1)
    }

    pub(super) fn columns(&self, first: usize, last: usize) -> &str {
        self.text.get(first - 1..last).unwrap_or_default()
    }

    /// Returns true if the record only fills a block.
    pub(super) fn is_filler(&self) -> bool {
        self.text.trim_end().bytes().all(|byte| byte == b'9')
    }

    pub(super) fn expect(
        &self,
        first: usize,
        last: usize,
        text: &str,
        field: Field,
    ) -> Result<(), FileError> {
        let found = self.columns(first, last);
        if found == text { Ok(()) } else { Err(error(self.line, field, format!("\"{text}\""), found)) }
    }

    /// Returns the text of the columns if it satisfies `is_such`.
    pub(super) fn such(
        &self,
        (first, last): (usize, usize),
        field: Field,
        expected: &'static str,
        is_such: impl Fn(&str) -> bool,
    ) -> Result<&str, FileError> {
        let found = self.columns(first, last);
        if is_such(found) { Ok(found) } else { Err(error(self.line, field, expected, found)) }
    }

    pub(super) fn number(&self, first: usize, last: usize, field: Field) -> Result<u64, FileError> {
        let digits = self.such((first, last), field, "digits", is_digits)?;
        digits.parse().map_err(|_| error(self.line, field, "a number", digits))
    }

    pub(super) fn count(&self, first: usize, last: usize, count: u64, field: Field) -> Result<(), FileError> {
        let width = last + 1 - first;
        let found = self.columns(first, last);
        if self.number(first, last, field)? == count {
            Ok(())
        } else {
            Err(error(self.line, field, format!("\"{count:0width$}\""), found))
        }
    }

    /// Checks hash, debits and credits, which are adjacent.
    pub(super) fn totals(&self, first: usize, totals: Totals, record: &'static str) -> Result<(), FileError> {
        self.count(first, first + 9, totals.hash, (record, "hash of the routing numbers"))?;
        self.count(first + 10, first + 21, totals.debit, (record, "total of debits"))?;
        self.count(first + 22, first + 33, totals.credit, (record, "total of credits"))
    }
}
