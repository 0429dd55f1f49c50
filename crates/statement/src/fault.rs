//! The first fault of a file.

use std::fmt;

/// Maximum number of letters of a file that a fault quotes.
const MAX_QUOTED: usize = 60;

/// Reason for which a file is refused, with its place. Says nothing about later faults.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Fault {
    /// Line of the file, from 1. In a file without line breaks, number of the physical record or page.
    pub line: usize,
    /// Offset of the record in the file, in bytes.
    pub byte: usize,
    /// The record, as its format names it: `49`, `:61:`, `Ntry`, `row 2`, or `end of file`.
    pub record: String,
    /// The field of the record.
    pub field: String,
    /// The rule that is broken.
    pub why: String,
    /// The value that would be right, if it can be told.
    pub expected: Option<String>,
    /// The value in the file, on one line and shortened.
    pub found: Option<String>,
}

impl Fault {
    /// Creates a fault.
    pub(crate) fn new(
        (line, byte): (usize, usize),
        (record, field): (&str, &str),
        why: impl Into<String>,
    ) -> Self {
        let (record, field, why) = (record.to_owned(), field.to_owned(), why.into());
        Self { line, byte, record, field, why, expected: None, found: None }
    }

    /// Adds the value in the file.
    #[must_use]
    pub(crate) fn found(mut self, found: impl fmt::Display) -> Self {
        let found = found.to_string();
        let mut letters = found.chars();
        let shown: String = letters.by_ref().take(MAX_QUOTED).flat_map(plain).collect();
        self.found = Some(if letters.next().is_some() { shown + "…" } else { shown });
        self
    }

    /// Adds the value that would be right.
    #[must_use]
    pub(crate) fn expected(mut self, expected: impl fmt::Display) -> Self {
        self.expected = Some(expected.to_string());
        self
    }
}

/// Escapes letters that would change a terminal or a log.
fn plain(letter: char) -> impl Iterator<Item = char> {
    let escaped = letter.is_control().then(|| letter.escape_default());
    let as_is = escaped.is_none().then_some(letter);
    escaped.into_iter().flatten().chain(as_is)
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, byte, record, field, why, expected, found } = self;
        write!(f, "line {line}, byte {byte}, {record}, {field}: {why}")?;
        if let Some(expected) = expected {
            write!(f, "; expected {expected}")?;
        }
        if let Some(found) = found {
            write!(f, "; found {found}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_names_place_and_values() {
        let fault = Fault::new((7, 312), ("49", "account control total"), "the sum is another");
        assert_eq!(fault.to_string(), "line 7, byte 312, 49, account control total: the sum is another");
        let fault = fault.expected(8).found("9\n\u{1b}[31m");
        assert!(fault.to_string().ends_with("; expected 8; found 9\\n\\u{1b}[31m"), "{fault}");
        let long = fault.found("x".repeat(61)).found.expect("is set");
        assert_eq!(long, "x".repeat(60) + "…");
    }
}
