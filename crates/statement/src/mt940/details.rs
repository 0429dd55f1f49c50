//! Texts of `:86:`, free or structured.
//!
//! Two structures are split for references; the text is kept whole. Code words between slashes (`/EREF/…/REMI/…`) are those
//! of the Common Global Implementation and of Dutch banks. Numbered parts (`166?00…?20EREF+…`) are those of the German
//! banks: DFÜ-Abkommen, annex 3, chapter 8.

use crate::statement::find;
use crate::{ReferenceKind, References};

/// Number of letters of a full line. The text goes on behind it without a break. Source: SWIFT, format `6*65x`.
pub(super) const FULL_LINE: usize = 65;

/// Code words. A word that is not listed is part of the value before it, since values may have slashes.
const WORDS: &[&str] = &[
    "ACCT", "ADDR", "BENM", "BIC", "BUSP", "CHGS", "CNTP", "CREF", "CRED", "CSID", "DEBT", "EREF", "EXCH",
    "IBAN", "ID", "INFO", "IREF", "ISDT", "KREF", "MARF", "MREF", "NAME", "NRTX", "OAMT", "OCMT", "ORDP",
    "PREF", "PURP", "REMI", "RREF", "RTRN", "SDVA", "SVCL", "SVWZ", "TRCD", "TRTP", "ULTB", "ULTC", "ULTD",
];

/// Text of a line with what its structure says.
#[derive(Default)]
pub(super) struct Details {
    pub(super) text: String,
    /// Code of the German banks for the kind of the transaction, three digits.
    pub(super) code: Option<String>,
    /// References in the order of the text, the first of each kind.
    pub(super) references: References,
    pub(super) return_reason: Option<String>,
    pub(super) is_structured: bool,
}

impl Details {
    /// Reads a text of one or several lines.
    pub(super) fn read(text: &str) -> Self {
        let whole = text.lines().collect::<String>().trim_end().to_owned();
        match words(&whole).or_else(|| numbered(&whole)) {
            Some(details) => Self { text: whole, is_structured: true, ..details },
            None => Self { text: free(text), ..Self::default() },
        }
    }

    /// Notes the value of a code word. Nothing is kept of a word that is not known or comes again.
    fn note(&mut self, word: &str, value: &str) {
        let value = value.trim();
        match kind(word) {
            Some(kind) if !value.is_empty() && find(&self.references, kind).is_none() => {
                self.references.push((kind, value.to_owned()));
            }
            None if word == "RTRN" && !value.is_empty() && self.return_reason.is_none() => {
                self.return_reason = Some(value.to_owned());
            }
            _ => {}
        }
    }
}

/// Joins the lines of a free text. A full line goes on without a break.
fn free(lines: &str) -> String {
    let mut text = String::new();
    let mut is_full = true;
    for line in lines.lines() {
        text.push_str(if is_full { "" } else { "\n" });
        text.push_str(line);
        is_full = line.chars().count() == FULL_LINE;
    }
    text.truncate(text.trim_end().len());
    text
}

/// Reference that a code word introduces.
fn kind(word: &str) -> Option<ReferenceKind> {
    match word {
        "EREF" => Some(ReferenceKind::EndToEnd),
        "MREF" | "MARF" => Some(ReferenceKind::Mandate),
        "KREF" => Some(ReferenceKind::Customer),
        "IREF" => Some(ReferenceKind::Instruction),
        "PREF" => Some(ReferenceKind::Payment),
        _ => None,
    }
}

/// Reads code words with their values, if the text begins with one: `/EREF/E2E-1/REMI/text`.
fn words(text: &str) -> Option<Details> {
    let mut parts = text.strip_prefix('/')?.split('/').peekable();
    let mut details = Details::default();
    let mut open: Option<(&str, String)> = None;
    while let Some(part) = parts.next() {
        // A word is followed by a slash.
        if WORDS.contains(&part) && parts.peek().is_some() {
            if let Some((word, value)) = open.replace((part, String::new())) {
                details.note(word, value.trim_matches('/'));
            }
            continue;
        }
        let (_, value) = open.as_mut()?;
        value.push('/');
        value.push_str(part);
    }
    let (word, value) = open?;
    details.note(word, value.trim_matches('/'));
    Some(details)
}

/// Reads numbered parts: `166?00TRANSFER?20EREF+E2E-1?21SVWZ+text`. A word is at the beginning of a part, and its value
/// goes on over the parts that follow.
fn numbered(text: &str) -> Option<Details> {
    let code = text.get(..3).filter(|code| is_number(code));
    let parts = text.get(code.map_or(0, str::len)..)?.strip_prefix('?')?;
    parts.get(..2).filter(|number| is_number(number))?;
    let mut details = Details { code: code.map(str::to_owned), ..Details::default() };
    let mut open: Option<(&str, String)> = None;
    for part in parts.split('?') {
        let number = part.get(..2).filter(|number| is_number(number));
        let content = part.get(number.map_or(0, str::len)..).unwrap_or_default();
        // Purpose of the payment: 20 to 29, and 60 to 63.
        let is_purpose =
            number.is_none_or(|number| matches!(number.as_bytes(), [b'2', _] | [b'6', b'0'..=b'3']));
        let begun = number.and_then(|_| word(content)).filter(|_| is_purpose);
        if is_purpose && begun.is_none() {
            if let Some((_, value)) = &mut open {
                // A question mark without a number is one of the text itself.
                value.extend([if number.is_some() { "" } else { "?" }, content]);
            }
            continue;
        }
        let next = begun.map(|(word, value)| (word, value.to_owned()));
        if let Some((word, value)) = std::mem::replace(&mut open, next) {
            details.note(word, &value);
        }
    }
    if let Some((word, value)) = open {
        details.note(word, &value);
    }
    Some(details)
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Word of a numbered part, such as `EREF+`, with the value behind it.
fn word(content: &str) -> Option<(&str, &str)> {
    let (word, value) = content.split_once('+')?;
    let is_word = matches!(word.len(), 3 | 4) && word.bytes().all(|byte| byte.is_ascii_uppercase());
    is_word.then_some((word, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ReferenceKind::{Customer, EndToEnd, Instruction, Mandate, Payment};

    fn read(lines: &[&str]) -> Details {
        Details::read(&lines.join("\n"))
    }

    #[test]
    fn structured_text_is_split_for_references() {
        let full = "x".repeat(FULL_LINE);
        for (lines, text, references) in [
            (&["/EREF/E2E-1/REMI/Rent"][..], "/EREF/E2E-1/REMI/Rent", vec![(EndToEnd, "E2E-1")]),
            (
                &["/EREF/E2E/", "1/MREF/M", "1/KREF/K1"],
                "/EREF/E2E/1/MREF/M1/KREF/K1",
                vec![(EndToEnd, "E2E/1"), (Mandate, "M1"), (Customer, "K1")],
            ),
            (
                &["/TRTP/SEPA/MARF/M-2/EREF/A//B"],
                "/TRTP/SEPA/MARF/M-2/EREF/A//B",
                vec![(Mandate, "M-2"), (EndToEnd, "A//B")],
            ),
            (&["/IREF/I1/PREF/P1"], "/IREF/I1/PREF/P1", vec![(Instruction, "I1"), (Payment, "P1")]),
            (
                &["/EREF/A//CNTP/NL01//NAME///REMI/x"],
                "/EREF/A//CNTP/NL01//NAME///REMI/x",
                vec![(EndToEnd, "A")],
            ),
            (&["/EREF"], "/EREF", vec![]),
            (&["/XYZW/1/EREF/2"], "/XYZW/1/EREF/2", vec![]),
            (
                &[
                    "166?00GUTSCHRIFT?109310?20EREF+E2E?21-0001?22MREF+M1?23SVWZ",
                    "+Rent?30BIC?32NAME EREF+no",
                ],
                "166?00GUTSCHRIFT?109310?20EREF+E2E?21-0001?22MREF+M1?23SVWZ+Rent?30BIC?32NAME EREF+no",
                vec![(EndToEnd, "E2E-0001"), (Mandate, "M1")],
            ),
            (
                &["?20KREF+K1?60EREF+E?61 2"],
                "?20KREF+K1?60EREF+E?61 2",
                vec![(Customer, "K1"), (EndToEnd, "E 2")],
            ),
            (&["?20EREF+why?no"], "?20EREF+why?no", vec![(EndToEnd, "why?no")]),
            (&["?20EREF+E?32NAME?20more"], "?20EREF+E?32NAME?20more", vec![(EndToEnd, "E")]),
            (&["Rent EREF+E2E", "November  "], "Rent EREF+E2E\nNovember", vec![]),
            (&[&full, "y"], &(full.clone() + "y"), vec![]),
            (&["", "", "late"], "\n\nlate", vec![]),
            (&["ü?", "?"], "ü?\n?", vec![]),
            (&[""], "", vec![]),
        ] {
            let details = read(lines);
            let found: Vec<_> = details.references.iter().map(|(kind, value)| (*kind, &**value)).collect();
            assert_eq!((&*details.text, found), (text, references), "{lines:?}");
        }
    }

    #[test]
    fn structured_text_has_code_and_reason() {
        assert_eq!(read(&["166?00A?20B"]).code.as_deref(), Some("166"));
        assert_eq!(read(&["?20B"]).code, None);
        assert_eq!(read(&["166 Main Street"]).code, None);
        assert_eq!(read(&["/RTRN/AC01/EREF/1"]).return_reason.as_deref(), Some("AC01"));
        assert_eq!(read(&["/RTRN//EREF/1"]).return_reason, None);
    }
}
