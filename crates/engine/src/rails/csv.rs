//! Comma-separated values. Source: RFC 4180.
//!
//! The crate `csv` is not used here for two reasons. It continues after a damaged quote, which may hide half of a file.
//! And it does not quote a field that ends with a blank.

use super::file::FileError;
use super::incoming::{error, unmarked};

/// Record and field names for format errors.
const ROW: (&str, &str) = ("row", "field");

/// Appends a row. Fields are quoted where necessary.
pub(super) fn push_row<'a>(csv: &mut String, fields: impl IntoIterator<Item = &'a str>) {
    for (index, field) in fields.into_iter().enumerate() {
        if index > 0 {
            csv.push(',');
        }
        if field.contains(['"', ',', '\r', '\n']) || field.ends_with(' ') {
            csv.push('"');
            csv.push_str(&field.replace('"', "\"\""));
            csv.push('"');
        } else {
            csv.push_str(field);
        }
    }
    csv.push_str("\r\n");
}

/// A row of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// Line on which the row begins, from 1.
    pub(super) line: usize,
    /// Fields without their quotes.
    pub(super) fields: Vec<String>,
}

/// The rows of a file, in order. Lines may end with or without carriage returns. Blank lines are skipped, and blanks at
/// the end of a line are dropped.
pub(super) struct Rows<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Rows<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { rest: unmarked(text), line: 1 }
    }

    /// Returns the next row, or none at the end of the file.
    pub(super) fn next_row(&mut self) -> Result<Option<Row>, FileError> {
        while let Some((_, rest)) = self.rest.split_once('\n').filter(|(line, _)| line.trim().is_empty()) {
            (self.rest, self.line) = (rest, self.line + 1);
        }
        if self.rest.trim().is_empty() {
            return Ok(None);
        }
        let mut row = Row { line: self.line, fields: Vec::new() };
        loop {
            let field = if let Some(quoted) = self.rest.strip_prefix('"') {
                self.rest = quoted;
                self.quoted()?
            } else {
                self.bare()?
            };
            row.fields.push(field);
            if let Some(rest) = self.rest.strip_prefix(',') {
                self.rest = rest;
                continue;
            }
            let behind = self.rest.trim_start_matches([' ', '\r']);
            if let Some(rest) = behind.strip_prefix('\n') {
                (self.rest, self.line) = (rest, self.line + 1);
            } else if behind.is_empty() {
                self.rest = behind;
            } else {
                return Err(self.error("a comma or the end of the line behind a closing quote"));
            }
            return Ok(Some(row));
        }
    }

    /// Returns the number of the next line, or of the line that broke off.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    fn bare(&mut self) -> Result<String, FileError> {
        let end = self.rest.find([',', '\n', '"']).unwrap_or(self.rest.len());
        let (field, rest) = self.rest.split_at(end);
        // Blanks and carriage returns before the end of a line belong to the line ending.
        let is_last = !rest.starts_with([',', '"']);
        let field = if is_last { field.trim_end_matches([' ', '\r']) } else { field };
        if rest.starts_with('"') || field.contains('\r') {
            return Err(self.error("quotes around a field with a quote or a carriage return in it"));
        }
        self.rest = rest;
        Ok(field.to_owned())
    }

    /// Reads a quoted field up to its closing quote. The opening quote has been consumed.
    fn quoted(&mut self) -> Result<String, FileError> {
        let start = self.line;
        let mut field = String::new();
        loop {
            let Some((part, rest)) = self.rest.split_once('"') else {
                return Err(error(start, ROW, "a closing quote", ""));
            };
            field.push_str(part);
            self.line += part.matches('\n').count();
            self.rest = rest;
            match rest.strip_prefix('"') {
                Some(rest) => {
                    field.push('"');
                    self.rest = rest;
                }
                None => return Ok(field),
            }
        }
    }

    fn error(&self, expected: &'static str) -> FileError {
        error(self.line, ROW, expected, self.rest.lines().next().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rails::file::tests::HOSTILE;

    fn read(text: &str) -> Result<Vec<Row>, FileError> {
        let mut rows = Rows::of(text);
        let mut read = Vec::new();
        while let Some(row) = rows.next_row()? {
            read.push(row);
        }
        Ok(read)
    }

    #[test]
    fn rows_round_trip() {
        let fields =
            HOSTILE.into_iter().chain(["", "\"", "\r", "\n", ",", "\"\"", "a\r", "\"a\"", "a ", " "]);
        let rows: Vec<Vec<&str>> = fields.map(|field| vec!["1", field, field, ""]).collect();
        let mut csv = String::new();
        for row in &rows {
            push_row(&mut csv, row.iter().copied());
        }
        let read: Vec<Vec<String>> = read(&csv).expect("rows").into_iter().map(|row| row.fields).collect();
        assert_eq!(read, rows);
    }

    #[test]
    fn rows_know_their_line() {
        let read = read("a,b\r\n\"c\nd\",\ne").expect("rows");
        let lines: Vec<_> = read.iter().map(|row| (row.line, row.fields.join("|"))).collect();
        assert_eq!(lines, [(1, "a|b".into()), (2, "c\nd|".into()), (4, "e".into())]);
    }

    #[test]
    fn damaged_quote_is_refused_with_line() {
        let unquoted = "quotes around a field with a quote or a carriage return in it";
        let table = [
            ("a\nb\"c", 2, unquoted, "b\"c"),
            ("a\rb\n", 1, unquoted, "a\rb"),
            ("a\n\"b\n", 2, "a closing quote", ""),
            ("\"a\nb\"c,d", 2, "a comma or the end of the line behind a closing quote", "c,d"),
        ];
        for (csv, line, expected, found) in table {
            assert_eq!(read(csv), Err(error(line, ROW, expected, found)), "{csv:?}");
        }
    }

    #[test]
    fn line_endings_and_marks_are_ignored() {
        let expected = read("a,b\nc,\"d \"\n");
        for text in
            ["\u{feff}a,b\r\nc,\"d \"", "a,b   \n\nc,\"d \"  \r\n\r\n  \n", "a,b\r\r\nc,\"d \"\n\u{1a}"]
        {
            let fields = |rows: Result<Vec<Row>, FileError>| {
                rows.map(|rows| rows.into_iter().map(|row| row.fields).collect::<Vec<_>>())
            };
            assert_eq!(fields(read(text)), fields(expected.clone()), "{text:?}");
        }
    }
}
