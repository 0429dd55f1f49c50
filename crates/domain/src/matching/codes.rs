//! Codes of a bank: one code, or a range of numbers.

use std::fmt;
use std::str::FromStr;

use crate::text::stored_as_text;

/// Maximum number of characters in a code.
const MAX_CHARS: usize = 40;

/// A code of a bank, or a range of numeric codes, ends included. Written `NTRF`, `PMNT-RCDT-ESCT` or `600..699`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Codes {
    /// One code.
    One(String),
    /// All numbers from the first to the second.
    Range(u32, u32),
}

/// The text is no code and no range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a code has 1 to 40 letters, digits, \"-\" \"_\" \"/\" \"+\" and spaces between them; a range is two numbers, as in 600..699"
)]
pub struct CodesError;

impl Codes {
    /// True if `code` is among them.
    pub(super) fn contain(&self, code: &str) -> bool {
        match self {
            Self::One(own) => own == code,
            Self::Range(first, last) => digits(code).is_some_and(|number| (*first..=*last).contains(&number)),
        }
    }

    /// True if a code is among both.
    pub(super) fn overlap(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::One(code), _) => other.contain(code),
            (_, Self::One(code)) => self.contain(code),
            (Self::Range(first, last), Self::Range(other_first, other_last)) => {
                first <= other_last && other_first <= last
            }
        }
    }
}

/// The number that consists of these digits.
fn digits(text: &str) -> Option<u32> {
    text.bytes().all(|it| it.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

impl fmt::Display for Codes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(code) => f.write_str(code),
            Self::Range(first, last) => write!(f, "{first}..{last}"),
        }
    }
}

impl FromStr for Codes {
    type Err = CodesError;

    fn from_str(text: &str) -> Result<Self, CodesError> {
        if let Some((first, last)) = text.split_once("..") {
            return match (digits(first), digits(last)) {
                (Some(first), Some(last)) if first <= last => Ok(Self::Range(first, last)),
                _ => Err(CodesError),
            };
        }
        let is_plain = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_' | b'/' | b'+' | b' ');
        let fits =
            (1..=MAX_CHARS).contains(&text.len()) && text.trim_ascii() == text && text.bytes().all(is_plain);
        fits.then(|| Self::One(text.to_owned())).ok_or(CodesError)
    }
}

stored_as_text!(Codes);

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str) -> Codes {
        text.parse().expect("codes")
    }

    #[test]
    fn codes_round_trip_as_text() {
        for text in ["NTRF", "ACH FEE", "PMNT-RCDT-ESCT", "698", "600..699", "7..7"] {
            assert_eq!(codes(text).to_string(), text);
        }
        for text in [
            "",
            " ",
            "a ",
            " a",
            "600..",
            "..9",
            "9..8",
            "+1..2",
            "1..2..3",
            "1..99999999999",
            &"9".repeat(41),
        ] {
            assert_eq!(text.parse::<Codes>(), Err(CodesError), "{text:?}");
        }
    }

    #[test]
    fn range_contains_its_ends() {
        let table =
            [("600", true), ("699", true), ("599", false), ("+650", false), ("700", false), ("NTRF", false)];
        for (code, expected) in table {
            assert_eq!(codes("600..699").contain(code), expected, "{code}");
        }
        assert!(codes("NTRF").contain("NTRF") && !codes("NTRF").contain("NMSC"));
    }

    #[test]
    fn overlaps_are_found_in_both_directions() {
        let table = [
            ("698", "600..699", true),
            ("698", "698", true),
            ("698", "699", false),
            ("1..5", "5..9", true),
            ("1..4", "5..9", false),
        ];
        for (one, other, expected) in table {
            assert_eq!(codes(one).overlap(&codes(other)), expected, "{one} {other}");
            assert_eq!(codes(other).overlap(&codes(one)), expected, "{other} {one}");
        }
    }
}
