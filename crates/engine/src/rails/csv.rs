//! Comma-separated values. Source: RFC 4180.

use super::file::FileError;

/// Appends a row; a field is quoted where it must be.
pub(super) fn push_row<'a>(csv: &mut String, fields: impl IntoIterator<Item = &'a str>) {
    for (index, field) in fields.into_iter().enumerate() {
        if index > 0 {
            csv.push(',');
        }
        if field.contains(['"', ',', '\r', '\n']) {
            csv.push('"');
            csv.push_str(&field.replace('"', "\"\""));
            csv.push('"');
        } else {
            csv.push_str(field);
        }
    }
    csv.push_str("\r\n");
}

/// One row of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// The line on which it begins, from 1 on.
    pub(super) line: usize,
    /// Its fields, without their quotes.
    pub(super) fields: Vec<String>,
}

/// The rows of a file, one after the other; lines end with or without a carriage return.
pub(super) struct Rows<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Rows<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { rest: text, line: 1 }
    }

    /// The next row; none at the end of the file.
    pub(super) fn next_row(&mut self) -> Result<Option<Row>, FileError> {
        if self.rest.is_empty() {
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
            if !self.rest.is_empty() {
                let rest = self.rest.strip_prefix("\r\n").or_else(|| self.rest.strip_prefix('\n'));
                self.rest = rest.ok_or(self.error("text after a closing quote"))?;
                self.line += 1;
            }
            return Ok(Some(row));
        }
    }

    /// The line that is read next, or that broke off.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    fn bare(&mut self) -> Result<String, FileError> {
        let end = self.rest.find([',', '\n', '"']).unwrap_or(self.rest.len());
        let (field, rest) = self.rest.split_at(end);
        // A carriage return belongs to the end of the line that it stands before, and to nothing else.
        let field = field.strip_suffix('\r').filter(|_| rest.starts_with('\n')).unwrap_or(field);
        if rest.starts_with('"') || field.contains('\r') {
            return Err(self.error("a quote or a carriage return inside of a field that is not quoted"));
        }
        self.rest = rest;
        Ok(field.to_owned())
    }

    /// The field up to its closing quote; the opening one is gone.
    fn quoted(&mut self) -> Result<String, FileError> {
        let start = self.line;
        let mut field = String::new();
        loop {
            let Some((part, rest)) = self.rest.split_once('"') else {
                return Err(FileError { line: start, text: "a quote is not closed" });
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

    fn error(&self, text: &'static str) -> FileError {
        FileError { line: self.line, text }
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
    fn whatever_is_written_reads_back() {
        let fields = HOSTILE.into_iter().chain(["", "\"", "\r", "\n", ",", "\"\"", "a\r", "\"a\""]);
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
    fn a_damaged_quote_is_refused_with_its_line() {
        let table = [
            ("a\nb\"c", 2, "a quote or a carriage return inside of a field that is not quoted"),
            ("a\rb\n", 1, "a quote or a carriage return inside of a field that is not quoted"),
            ("a\n\"b\n", 2, "a quote is not closed"),
            ("\"a\nb\"c,d", 2, "text after a closing quote"),
        ];
        for (csv, line, text) in table {
            assert_eq!(read(csv), Err(FileError { line, text }), "{csv:?}");
        }
    }
}
