//! Rows of a file, each with its fields and its bytes. Source: RFC 4180, section 2, with any separator and quote.

use std::borrow::Cow;
use std::ops::Range;

use super::encoding::{Encoding, Source};
use super::mapping::Mapping;

/// Maximum number of columns. A row is refused before its fields need more memory than a small multiple of the file.
pub(super) const MAX_COLUMNS: usize = 256;

/// Row of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row<'a> {
    /// Line of its first byte, from 1.
    pub(super) line: usize,
    /// Its bytes, without the line break.
    pub(super) bytes: Range<usize>,
    /// Its fields, without their quotes. At least one.
    pub(super) fields: Vec<Cow<'a, str>>,
    /// Its first flaw, and the column from 0.
    pub(super) flaw: Option<(usize, Flaw)>,
}

impl Row<'_> {
    /// Returns true if the row has nothing but white space and no separator.
    pub(super) fn is_blank(&self) -> bool {
        self.flaw.is_none() && matches!(self.fields.as_slice(), [only] if only.trim().is_empty())
    }

    /// Place of the row.
    pub(super) fn place(&self) -> (usize, usize) {
        (self.line, self.bytes.start)
    }
}

/// Flaw of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Flaw {
    /// The file ends within quotes. Nothing behind the quote can be believed.
    #[error("the quote is not closed")]
    Open,
    /// A field that is not quoted has a quote.
    #[error("a quote within a field that is not quoted")]
    Quote,
    /// A field has letters behind its closing quote.
    #[error("letters behind the closing quote")]
    Behind,
    /// The row has more than [`MAX_COLUMNS`].
    #[error("too many columns")]
    Columns,
}

/// Rows that are not read yet.
#[derive(Clone)]
pub(super) struct Rows<'a> {
    rest: &'a str,
    line: usize,
    byte: usize,
    encoding: Encoding,
    separator: char,
    quote: Option<char>,
}

impl<'a> Rows<'a> {
    /// Returns all rows of a file.
    pub(super) fn new(source: &'a Source<'_>, mapping: &Mapping) -> Self {
        let (separator, quote) = (mapping.separator, mapping.quote);
        Self { rest: &source.text, line: 1, byte: source.start, encoding: source.encoding, separator, quote }
    }

    /// Place of the next row.
    pub(super) fn place(&self) -> (usize, usize) {
        (self.line, self.byte)
    }

    /// Returns the next row that is not blank.
    pub(super) fn filled(&mut self) -> Option<Row<'a>> {
        loop {
            // Empty rows are the cheapest way to write many: they cost no row.
            while self.rest.starts_with(['\r', '\n']) {
                self.line_break();
            }
            let row = self.next()?;
            if !row.is_blank() {
                return Some(row);
            }
        }
    }

    fn take(&mut self, len: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(len).unwrap_or((self.rest, ""));
        self.rest = rest;
        self.byte += self.encoding.size(taken);
        taken
    }

    fn takes(&mut self, mark: char) -> bool {
        let is_next = self.rest.starts_with(mark);
        if is_next {
            self.take(mark.len_utf8());
        }
        is_next
    }

    /// Takes one field, with the flaw that it has.
    fn field(&mut self) -> (Cow<'a, str>, Option<Flaw>) {
        let Some(quote) = self.quote else { return (Cow::Borrowed(self.plain()), None) };
        if !self.takes(quote) {
            let field = self.plain();
            return (Cow::Borrowed(field), field.contains(quote).then_some(Flaw::Quote));
        }
        let (mut field, is_closed) = self.quoted(quote);
        let behind = self.plain();
        if behind.is_empty() {
            return (field, (!is_closed).then_some(Flaw::Open));
        }
        field += behind;
        (field, Some(Flaw::Behind))
    }

    /// Takes everything up to the next separator or line break.
    fn plain(&mut self) -> &'a str {
        let end = self.rest.find([self.separator, '\n', '\r']);
        self.take(end.unwrap_or(self.rest.len()))
    }

    /// Takes the rest of a quoted field with its closing quote, and tells if there was one.
    fn quoted(&mut self, quote: char) -> (Cow<'a, str>, bool) {
        let mut field = Cow::Borrowed("");
        loop {
            let end = self.rest.find(quote);
            let part = self.take(end.unwrap_or(self.rest.len()));
            self.line += line_breaks(part);
            field += part;
            if !self.takes(quote) {
                return (field, false);
            }
            if !self.rest.starts_with(quote) {
                return (field, true);
            }
            field += self.take(quote.len_utf8());
        }
    }

    fn line_break(&mut self) {
        let carriage = self.takes('\r');
        let feed = self.takes('\n');
        self.line += usize::from(carriage || feed);
    }
}

/// Number of line breaks of any kind: CR, LF, or both.
fn line_breaks(text: &str) -> usize {
    text.matches('\n').count() + text.matches('\r').count() - text.matches("\r\n").count()
}

impl<'a> Iterator for Rows<'a> {
    type Item = Row<'a>;

    fn next(&mut self) -> Option<Row<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, start) = self.place();
        let mut fields = vec![];
        let mut flaw = None;
        for column in 0.. {
            let (field, of_field) = self.field();
            let is_beyond = column >= MAX_COLUMNS;
            if !is_beyond {
                fields.push(field);
            }
            let flaw_here = of_field.or(is_beyond.then_some(Flaw::Columns)).map(|flaw| (column, flaw));
            // A quote that is never closed is worse than any flaw before it: the row's end is unknown.
            flaw = if of_field == Some(Flaw::Open) { flaw_here } else { flaw.or(flaw_here) };
            if !self.takes(self.separator) {
                break;
            }
        }
        let bytes = start..self.byte;
        self.line_break();
        Some(Row { line, bytes, fields, flaw })
    }
}
