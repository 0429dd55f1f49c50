//! Physical records: lines, or pieces of the length that record 01 states, filled with blanks.
//!
//! Source: BAI2 2005, "Physical Records and Logical Records".

use super::field::{Field, letters};
use crate::Fault;
use crate::beginning::content;
use crate::place::line_of;

/// Blanks that fill a physical record.
const BLANKS: [u8; 3] = *b" \t\r";

/// One physical record.
#[derive(Clone, Copy)]
pub(super) struct Physical<'a> {
    /// Record code: two digits.
    pub(super) code: &'a str,
    /// Bytes from the record code on, without the blanks that fill the record.
    pub(super) bytes: &'a [u8],
    /// Bytes behind the record code and its comma; nothing if the record ends after its code.
    pub(super) body: Option<&'a [u8]>,
    /// Line and first byte in the file.
    pub(super) place: (usize, usize),
    /// True if the record has a stated length and no blank fills it. A text may then go on in the middle of a word.
    pub(super) is_full: bool,
}

impl Physical<'_> {
    /// Byte behind the last one that is no blank.
    pub(super) fn end(&self) -> usize {
        self.place.1 + self.bytes.len()
    }
}

/// Length of physical records that record 01 states in its seventh field, wherever the record is broken. Zero is none.
fn stated_length(content: &[u8]) -> Option<usize> {
    let mut rest = content;
    for _ in 0..6 {
        let end = rest.iter().position(|byte| matches!(byte, b',' | b'/'))?;
        let (delimiter, behind) = rest.get(end..)?.split_first()?;
        let is_broken = *delimiter == b'/';
        rest = if is_broken { behind.trim_ascii_start().strip_prefix(b"88,")? } else { behind };
    }
    let end = rest.iter().position(|byte| matches!(byte, b',' | b'/'))?;
    let length = std::str::from_utf8(rest.get(..end)?.trim_ascii()).ok()?;
    length.parse().ok().filter(|length| *length > 0)
}

/// Pieces of the file: lines, cut where they are longer than the stated length.
pub(super) struct Pieces<'a> {
    pub(super) bytes: &'a [u8],
    length: Option<usize>,
    /// True if physical records are counted as lines, since the file has no line breaks.
    is_one_line: bool,
    /// Line of the next piece.
    pub(super) line: usize,
    at: usize,
    line_end: usize,
    /// True if the current line is cut.
    is_cut: bool,
}

impl<'a> Pieces<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let (at, content) = content(bytes);
        let length = stated_length(content);
        let line = line_of(bytes, at);
        let is_one_line = !bytes.trim_ascii().contains(&b'\n');
        let mut pieces = Self { bytes, length, is_one_line, line, at, line_end: at, is_cut: false };
        pieces.begin_line(at);
        pieces
    }

    fn begin_line(&mut self, at: usize) {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        let line = rest.get(..length).unwrap_or_default();
        (self.at, self.line_end) = (at, at + length);
        // A length may be meant in letters, some of which have several bytes.
        let letters = || line.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
        self.is_cut = self.length.is_some_and(|stated| length > stated && letters() > stated);
    }

    /// The next physical record. Blank ones are skipped: they fill a block.
    pub(super) fn physical(&mut self) -> Option<Result<Physical<'a>, Fault>> {
        loop {
            if self.at >= self.line_end {
                if self.line_end >= self.bytes.len() {
                    return None;
                }
                self.line += 1;
                self.begin_line(self.line_end + 1);
                continue;
            }
            let (start, line) = (self.at, self.line);
            let end = if self.is_cut { start.saturating_add(self.length?) } else { self.line_end };
            self.at = end.min(self.line_end);
            self.line += usize::from(self.is_one_line);
            let whole = self.bytes.get(start..self.at)?;
            let bytes = whole.strip_suffix(b"\r").unwrap_or(whole);
            let is_full = Some(bytes.len()) == self.length && !bytes.ends_with(b" ");
            let filled = bytes.iter().rev().take_while(|byte| BLANKS.contains(byte)).count();
            let (bytes, _) = bytes.split_at(bytes.len() - filled);
            if !bytes.is_empty() {
                return Some(split((line, start), bytes, is_full));
            }
        }
    }
}

/// Splits the record code from a physical record.
fn split(place: (usize, usize), bytes: &[u8], is_full: bool) -> Result<Physical<'_>, Fault> {
    let fault = |why: &str| Fault::new(place, ("physical record", "record code"), why);
    let (code, rest) = bytes.split_at(bytes.len().min(2));
    let is_code = code.len() == 2 && code.iter().all(u8::is_ascii_digit);
    let code = std::str::from_utf8(code).ok().filter(|_| is_code);
    let (Some(code), [b',', ..] | [b'/']) = (code, rest) else {
        let why = "a physical record begins with two digits and `,` or `/`, and is not longer than record 01 states";
        return Err(fault(why).found(letters(bytes)));
    };
    let body = rest.strip_prefix(b",");
    let physical = Physical { code, bytes, body, place, is_full };
    match bytes.iter().position(|byte| byte.is_ascii_control() && *byte != b'\t') {
        None => Ok(physical),
        Some(at) => {
            let value = bytes.get(at..=at).unwrap_or_default();
            let name = "character";
            Err(Field { name, value, code, place, shown: value }.fault("control characters are not allowed"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(file: &[u8]) -> Vec<(usize, usize, String, bool)> {
        let mut pieces = Pieces::new(file);
        let mut all = vec![];
        while let Some(record) = pieces.physical() {
            let record = record.expect("is read");
            let text = String::from_utf8_lossy(record.bytes).into_owned();
            all.push((record.place.0, record.place.1, text, record.is_full));
        }
        all
    }

    #[test]
    fn stated_length_is_found_in_any_layout() {
        for (content, expected) in [
            (&b"01,A,B,261103,0600,1,80,,2/"[..], Some(80)),
            (b"01,A,B,261103,0600,1,,,2/", None),
            (b"01,A,B,261103,0600,1,0,,2/", None),
            (b"01,A,B,261103,0600,1,x,,2/", None),
            (b"01,A,B,261103/     88,0600,1,80,,2/", Some(80)),
            (b"01,A,B,261103,0600,1/\r\n88,80,10,2/", Some(80)),
            (b"01/\n88,A/\n88,B/\n88,261103/\n88,0600/\n88,1/\n88,80/", Some(80)),
            (b"01,A,B,261103/\n02,0600,1,80,,2/", None),
            (b"01,A,B", None),
        ] {
            assert_eq!(stated_length(content), expected, "{}", letters(content));
        }
    }

    #[test]
    fn lines_and_pieces_are_physical_records() {
        let piece = |line, byte, text: &str, is_full| (line, byte, text.to_owned(), is_full);
        let of_30 = "01,A,B,261103,0600,1,30,,2/   ";
        assert_eq!(
            pieces(format!("{of_30}{:30}{:30}99,1", "02,A/", "88,full to the end of thirties").as_bytes()),
            [
                piece(1, 0, of_30.trim_end(), false),
                piece(2, 30, "02,A/", false),
                piece(3, 60, "88,full to the end of thirties", true),
                piece(4, 90, "99,1", false),
            ]
        );
        // Two physical records in a block, with a line break after each block, and blank ones to fill the last block.
        assert_eq!(
            pieces(format!("{of_30}{:30}\r\n{:30}{:30}\r\n", "02,A/", "99,1/", "").as_bytes()),
            [
                piece(1, 0, of_30.trim_end(), false),
                piece(1, 30, "02,A/", false),
                piece(2, 62, "99,1/", false),
            ]
        );
        // Shorter lines are not filled, and a letter of two bytes is one letter.
        let letters = format!("88,{}", "é".repeat(27));
        assert_eq!(
            pieces(format!("\u{feff}\n{}\n\n{letters}\n", of_30.trim_end()).as_bytes()),
            [piece(2, 4, of_30.trim_end(), false), piece(4, 33, &letters, false)]
        );
    }

    #[test]
    fn broken_physical_records_are_refused() {
        for (file, line, byte, field) in [
            ("01,A,B,261103,0600,1,,,2/\nx2,A", 2, 26, "record code"),
            ("01,A,B,261103,0600,1,,,2/\n2,A", 2, 26, "record code"),
            ("01,A,B,261103,0600,1,,,2/\n 02,A", 2, 26, "record code"),
            ("01,A,B,261103,0600,1,,,2/\n022,A", 2, 26, "record code"),
            ("01,A,B,261103,0600,1,,,2/\n02,A\0B", 2, 26, "character"),
            ("01,A,B,261103,0600,1,,,2/\r02,A,B", 1, 0, "character"),
            ("01,A,B,261103,0600,1,30,,2/\n02,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", 2, 58, "record code"),
        ] {
            let mut pieces = Pieces::new(file.as_bytes());
            let fault = std::iter::from_fn(|| pieces.physical()).find_map(Result::err);
            let fault = fault.expect("a fault");
            assert_eq!((fault.line, fault.byte, &*fault.field), (line, byte, field), "{file:?}: {fault}");
        }
    }
}
