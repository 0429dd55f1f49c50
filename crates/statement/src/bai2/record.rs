//! Logical records: fields, which go on in continuations (record 88).
//!
//! Source: BAI2 2005, "Free Format Fields/Field Delimiters" and record 88. `,` ends a field and `/` the last one of a
//! physical record. Only a text may have them, and a text has no `/` at its end. A continuation goes on with the next
//! field, or with the text.

use super::field::{Field, letters};
use super::physical::Physical;
use super::records::Records;
use crate::Fault;

/// A logical record while its fields are read.
pub(super) struct Record<'a, 'r> {
    records: &'r mut Records<'a>,
    code: &'a str,
    start: usize,
    piece: Physical<'a>,
    /// Fields of the piece that were not read yet; nothing after its end.
    rest: Option<&'a [u8]>,
    before: usize,
}

impl<'a, 'r> Record<'a, 'r> {
    pub(super) fn new(records: &'r mut Records<'a>, head: Physical<'a>) -> Self {
        let before = records.taken - 1;
        let (code, start, rest) = (head.code, head.place.1, head.body);
        Self { records, code, start, piece: head, rest, before }
    }

    pub(super) fn code(&self) -> &'a str {
        self.code
    }

    /// Number of physical records before this record.
    pub(super) fn before(&self) -> usize {
        self.before
    }

    /// Place of the physical record that is being read.
    pub(super) fn place(&self) -> (usize, usize) {
        self.piece.place
    }

    /// The next field, unless the record ended.
    pub(super) fn next(&mut self, name: &'static str) -> Result<Option<Field<'a>>, Fault> {
        let Some(rest) = self.rest()? else { return Ok(None) };
        let end = rest.iter().position(|byte| matches!(byte, b',' | b'/'));
        let (value, behind) = rest.split_at(end.unwrap_or(rest.len()));
        let read = self.piece.bytes.len() - behind.len();
        let shown = self.piece.bytes.get(..read).unwrap_or_default();
        let field =
            Field { name, value: value.trim_ascii(), code: self.code, place: self.piece.place, shown };
        self.rest = match behind.split_first() {
            Some((b',', behind)) => Some(behind),
            Some((_, [])) => None,
            // Only a detail may end without: its last field is a text.
            None if self.code == "16" => None,
            Some(_) => return Err(field.fault("`/` ends a record, and only a text may contain it")),
            None => return Err(field.fault("the record must end with `/`")),
        };
        Ok(Some(field))
    }

    /// The next field, if it is there and not empty.
    pub(super) fn optional(&mut self, name: &'static str) -> Result<Option<Field<'a>>, Fault> {
        Ok(self.next(name)?.filter(|field| !field.value.is_empty()))
    }

    /// The next field, which must be there and not empty.
    pub(super) fn required(&mut self, name: &'static str) -> Result<Field<'a>, Fault> {
        self.optional(name)?.ok_or_else(|| self.missing(name))
    }

    /// Fault of a field that is not there.
    pub(super) fn missing(&self, name: &str) -> Fault {
        Fault::new(self.piece.place, (self.code, name), "the field is missing")
    }

    /// Ends a record that has no text.
    pub(super) fn end(mut self) -> Result<&'r mut Records<'a>, Fault> {
        match self.next("end of record")? {
            None => Ok(self.records),
            Some(field) => Err(field.fault("the record has more fields than it may have")),
        }
    }

    /// Reads the text that is the record's last field, and ends the record. Returns the text and the record's bytes.
    ///
    /// A blank stands between a piece and its continuation, unless the piece has no room for one.
    pub(super) fn text(mut self) -> Result<(String, std::ops::Range<usize>), Fault> {
        let (mut text, mut is_split) = (String::new(), false);
        while let Some(rest) = self.rest()? {
            // `,/` and `88,/` say that there is no text.
            let part = letters(if rest.trim_ascii() == b"/" { b"" } else { rest });
            let part = if is_split { &*part } else { part.trim_start() };
            if !is_split && !text.is_empty() && !part.is_empty() {
                text.push(' ');
            }
            text.push_str(part.trim_end());
            is_split = self.piece.is_full && !part.is_empty();
            self.rest = None;
        }
        Ok((text, self.start..self.piece.end()))
    }

    /// Fields that were not read yet, if need be of the next continuation.
    fn rest(&mut self) -> Result<Option<&'a [u8]>, Fault> {
        while self.rest.is_none()
            && let Some(next) = self.records.continuation()?
        {
            self.piece = next;
            self.rest = next.body;
        }
        Ok(self.rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(file: &str) -> Result<Vec<String>, Fault> {
        let mut records = Records::open(file.as_bytes());
        let mut record = records.logical(&["01", "16"], "nothing")?;
        std::iter::from_fn(|| record.next("field").transpose())
            .map(|field| Ok(letters(field?.value).into_owned()))
            .collect()
    }

    #[test]
    fn fields_go_on_after_any_field() {
        let whole = fields("01,A,,C,D/").expect("is read");
        assert_eq!(whole, ["A", "", "C", "D"]);
        for broken in [
            "01/\n88,A,,C,D/",
            "01/\n88/\n88,A,,C/\n88/\n88,D/",
            "01,A/\n88,,C,D/",
            "01,A,/\n88,C,D/",
            "01,A,,C/\n88,D/",
            "01,A/\n88,/\n88,C/\n88,D/",
            "01, A ,,C/ \n88,D  /",
        ] {
            assert_eq!(fields(broken).as_ref(), Ok(&whole), "{broken}");
        }
        for broken in ["01,A,,C,D", "01,A,,C,D/ X", "01,A,,C/X,D/", "01,A,,C,D//", "01,A,\n88,C/"] {
            assert!(fields(broken).is_err(), "{broken}");
        }
        assert_eq!(fields("16,A,,C,D").as_ref(), Ok(&whole));
        assert_eq!(fields("16,A,\n88,C,D").as_ref(), Ok(&whole));
    }

    #[test]
    fn text_is_kept_whole() {
        let full = format!("01,x,x,x,x,x,40,/\n88,2/\n16,A,{}", "x".repeat(35));
        for (file, expected) in [
            ("16,A,TEXT", "TEXT"),
            ("16,A, TEXT  ", "TEXT"),
            ("16,A,TO: A/B, C/D/", "TO: A/B, C/D/"),
            ("16,A,/", ""),
            ("16,A,", ""),
            ("16,A/", ""),
            ("16,A", ""),
            ("16,A/\n88,TEXT, AND MORE", "TEXT, AND MORE"),
            ("16,A,/\n88,TEXT", "TEXT"),
            ("16,A,ONE\n88,TWO\n88,/\n88,THREE/3\n", "ONE TWO THREE/3"),
        ] {
            let mut records = Records::open(file.as_bytes());
            let mut record = records.logical(&["16"], "nothing").expect("a record");
            record.next("reference").expect("a field");
            let (text, bytes) = record.text().expect("a text");
            assert_eq!((&*text, bytes), (expected, 0..file.trim_end().len()), "{file:?}");
        }
        // A piece that is full goes on without a blank, and a blank at the beginning of its continuation counts.
        for (more, expected) in [("88,TWO", "TWO"), ("88, TWO", " TWO")] {
            let file = format!("{full}\n{more}\n88,THREE");
            let mut records = Records::open(file.as_bytes());
            let head = records.logical(&["01"], "nothing").expect("a record");
            head.text().expect("the rest of the header");
            let mut record = records.logical(&["16"], "nothing").expect("a record");
            record.next("reference").expect("a field");
            assert_eq!(record.text().expect("a text").0, format!("{}{expected} THREE", "x".repeat(35)));
        }
    }
}
