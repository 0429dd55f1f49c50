//! Table of a file: the header, and the rows between header and footer.

use std::collections::VecDeque;

use super::encoding::Source;
use super::mapping::{Column, Mapping};
use super::rows::{Flaw, Row, Rows};
use crate::{Fault, MAX_LINES};

/// Header of a file, and all that follows it.
pub(super) struct Header<'a> {
    /// Place of the last row of the header.
    pub(super) place: (usize, usize),
    /// Names of the columns. Empty if the mapping counts them.
    pub(super) names: Vec<String>,
    /// Number of columns that each row must have: those of the header, or of the first row. None: there is no row.
    pub(super) width: Option<usize>,
    below: Rows<'a>,
}

/// Row of a line.
pub(super) struct Numbered<'a> {
    /// Number of the row, from 1, without header and blank rows.
    pub(super) number: usize,
    /// The row.
    pub(super) row: Row<'a>,
}

/// Reads the header. Rows before the names of the columns may have any shape.
pub(super) fn header<'a>(source: &'a Source<'_>, mapping: &Mapping) -> Result<Header<'a>, Fault> {
    let mut below = Rows::new(source, mapping);
    let mut last = None;
    for number in 0..mapping.skip_header {
        let place = below.place();
        let row = below.next().ok_or_else(|| {
            let fault = Fault::new(place, ("end of file", "header"), "the file ends before its first line");
            fault.expected(mapping.skip_header).found(number)
        })?;
        match row.flaw {
            Some((column, flaw @ Flaw::Open)) => return Err(flawed(&row, column, flaw)),
            _ => last = Some(row),
        }
    }
    let is_named = mapping.columns.values().any(|column| matches!(column, Column::Name(_)));
    let Some(row) = last.filter(|_| is_named) else {
        let place = below.place();
        let width = below.clone().filled().map(|row| row.fields.len());
        return Ok(Header { place, names: vec![], width, below });
    };
    if let Some((column, flaw)) = row.flaw {
        return Err(flawed(&row, column, flaw));
    }
    let names: Vec<_> = row.fields.iter().map(|name| name.trim().to_owned()).collect();
    Ok(Header { place: row.place(), width: Some(names.len()), names, below })
}

fn flawed(row: &Row<'_>, column: usize, flaw: Flaw) -> Fault {
    Fault::new(row.place(), ("header", &format!("column {}", column + 1)), flaw.to_string())
}

impl<'a> Header<'a> {
    /// Returns the name of a column, counted from 0.
    pub(super) fn name(&self, column: usize) -> String {
        let name = self.names.get(column).filter(|name| !name.is_empty());
        name.cloned().unwrap_or_else(|| format!("column {}", column + 1))
    }

    /// Returns the rows of the lines: neither the footer nor blank rows. Nothing follows a fault.
    pub(super) fn rows(&self, mapping: &Mapping) -> Body<'_, 'a> {
        let (rows, footer) = (self.below.clone(), mapping.skip_footer);
        Body { header: self, rows, waiting: VecDeque::new(), footer, number: 0 }
    }

    /// Creates the fault of a column of a row.
    pub(super) fn fault(&self, of: &Numbered<'_>, column: usize, why: impl Into<String>) -> Fault {
        Fault::new(of.row.place(), (&format!("row {}", of.number), &self.name(column)), why)
    }

    /// Creates the fault of a file without a line.
    pub(super) fn no_rows(&self) -> Fault {
        let mut below = self.below.clone();
        while below.filled().is_some() {}
        Fault::new(below.place(), ("end of file", "rows"), "the file has no row between header and footer")
    }
}

/// Rows of the lines that are not read yet.
pub(super) struct Body<'h, 'a> {
    header: &'h Header<'a>,
    rows: Rows<'a>,
    /// Rows that may be the footer.
    waiting: VecDeque<Numbered<'a>>,
    footer: usize,
    number: usize,
}

impl<'a> Body<'_, 'a> {
    fn check(&self, of: Numbered<'a>) -> Result<Numbered<'a>, Fault> {
        if of.number > MAX_LINES {
            let fault = self.header.fault(&of, 0, "the file has too many rows");
            return Err(Fault { field: "rows".to_owned(), ..fault }.expected(MAX_LINES).found(of.number));
        }
        if let Some((column, flaw)) = of.row.flaw {
            return Err(self.header.fault(&of, column, flaw.to_string()));
        }
        let (expected, found) = (self.header.width.unwrap_or_default(), of.row.fields.len());
        if expected != found {
            let fault = self.header.fault(&of, found.min(expected), "the row has another number of columns");
            return Err(fault.expected(expected).found(found));
        }
        Ok(of)
    }
}

impl<'a> Iterator for Body<'_, 'a> {
    type Item = Result<Numbered<'a>, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let row = self.rows.filled()?;
            self.number += 1;
            let of = Numbered { number: self.number, row };
            // It has swallowed the rest of the file, and with it the rows that would make it no part of the footer.
            if matches!(of.row.flaw, Some((_, Flaw::Open))) {
                return Some(self.check(of));
            }
            self.waiting.push_back(of);
            if self.waiting.len() > self.footer {
                let of = self.waiting.pop_front()?;
                return Some(self.check(of));
            }
        }
    }
}
