//! Return reason codes: reason of an ACH return, its time limit, and its consequence for the account.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Day, next_banking_day, plus_banking_days};
use crate::text::{self, data_lines};

const RETURN_CODES: &str = include_str!("return_codes.txt");
const OWN_CODES: &str = include_str!("own_codes.txt");

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| data_lines(RETURN_CODES).filter_map(Row::parse).collect());

/// Daybook's own codes with their titles.
static OWN_CODE_TEXTS: LazyLock<Vec<(ReturnCode, &str)>> = LazyLock::new(|| {
    let own = |line: &'static str| {
        let (code, title) = line.split_once(' ')?;
        Some((ReturnCode(code.as_bytes().try_into().ok()?), title))
    };
    data_lines(OWN_CODES).filter_map(own).collect()
});

/// A return reason code of the banks, such as R01 (`return_codes.txt`), or one of Daybook's own (`own_codes.txt`),
/// which no caller can give.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReturnCode([u8; 3]);

/// Time after settlement in which a return is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// Number of banking days.
    BankingDays(u16),
    /// Number of calendar days, extended to the next banking day.
    CalendarDays(u16),
}

/// Consequence of a return for the account that the entry concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consequence {
    /// The node is locked: there is no such account, or it takes no entries.
    Lock,
    /// Nothing is pulled from the account until there is a new authorization.
    Credit,
    /// None; the pull may be presented again.
    Again,
    /// None; the return concerns that entry alone.
    Item,
}

/// Error of a text that is not a return reason code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a return reason code")]
pub struct ReturnCodeError;

/// A line of `return_codes.txt`.
#[derive(Clone, Copy)]
struct Row {
    code: ReturnCode,
    window: Window,
    consequence: Consequence,
    title: &'static str,
}

impl Row {
    fn parse(line: &'static str) -> Option<Self> {
        let mut parts = line.splitn(5, ' ');
        let code: [u8; 3] = parts.next()?.as_bytes().try_into().ok()?;
        let days: u16 = parts.next()?.parse().ok()?;
        let window = match parts.next()? {
            "banking" => Window::BankingDays(days),
            "calendar" => Window::CalendarDays(days),
            _ => return None,
        };
        let consequence = match parts.next()? {
            "lock" => Consequence::Lock,
            "credit" => Consequence::Credit,
            "again" => Consequence::Again,
            "item" => Consequence::Item,
            _ => return None,
        };
        let title = parts.next().filter(|title| !title.is_empty())?;
        let is_code = code[0] == b'R' && code[1..].iter().all(u8::is_ascii_digit);
        is_code.then_some(Self { code: ReturnCode(code), window, consequence, title })
    }
}

impl ReturnCode {
    /// Daybook's own code: a name or an address has characters that the banks' file formats do not allow.
    pub const UNSUPPORTED_BY_FORMAT: Self = Self(*b"D01");
    /// Daybook's own code: an earlier return says that the account takes no such entry.
    pub const CLOSED: Self = Self(*b"D02");
    /// Daybook's own code: the amount exceeds the limit of an entry, or of a file, of the rail.
    pub const TOO_MUCH: Self = Self(*b"D03");

    /// All codes of the banks, in ascending order.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.code)
    }

    /// Meaning of the code in a few words.
    #[must_use]
    pub fn title(self) -> &'static str {
        let own = || OWN_CODE_TEXTS.iter().find(|(code, _)| *code == self).map(|(_, title)| *title);
        self.row().map(|row| row.title).or_else(own).unwrap_or_default()
    }

    /// Time after settlement in which a return with this code is valid.
    #[must_use]
    pub fn window(self) -> Window {
        self.row().map_or(Window::BankingDays(2), |row| row.window)
    }

    /// Consequence of a return with this code for the account that the entry concerned.
    #[must_use]
    pub fn consequence(self) -> Consequence {
        self.row().map_or(Consequence::Item, |row| row.consequence)
    }

    /// Last day on which a return with this code is valid, that day included, for an entry that settled on `settled`.
    ///
    /// Two banking days: the second banking day after settlement. Sixty calendar days: the banking day after the
    /// sixtieth day. Source: Nacha Operating Rules, Article Three, 3.8 and 3.13: the return must be available to the
    /// originating bank at the opening of business of that day.
    #[must_use]
    pub fn last_day(self, settled: Day) -> Day {
        match self.window() {
            Window::BankingDays(days) => plus_banking_days(settled, days),
            Window::CalendarDays(days) => next_banking_day(settled.plus_days(days.into())),
        }
    }

    fn row(self) -> Option<Row> {
        ROWS.iter().find(|row| row.code == self).copied()
    }

    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for ReturnCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for ReturnCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for ReturnCode {
    type Err = ReturnCodeError;
    fn from_str(text: &str) -> Result<Self, ReturnCodeError> {
        Self::all().find(|code| code.as_str() == text).ok_or(ReturnCodeError)
    }
}

impl Serialize for ReturnCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Reads a stored code, which may also be one of Daybook's own.
impl<'de> Deserialize<'de> for ReturnCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let own =
            |text: &str| OWN_CODE_TEXTS.iter().map(|(code, _)| *code).find(|code| code.as_str() == text);
        text::deserialize(deserializer, |text: &str| own(text).map_or_else(|| text.parse(), Ok))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> ReturnCode {
        text.parse().expect("a code")
    }

    #[test]
    fn file_lines_and_bank_codes_match() {
        assert_eq!(ROWS.len(), data_lines(RETURN_CODES).count());
        assert!(ROWS.windows(2).all(|pair| pair[0].code < pair[1].code));
        for code in ReturnCode::all() {
            assert_eq!(code.to_string().parse(), Ok(code));
            assert!(!code.title().is_empty(), "{code}");
        }
    }

    #[test]
    fn unknown_codes_are_refused() {
        for text in ["", "R1", "r01", "R00", "R48", "R61", "R99", "C01", "R01 ", "#  "] {
            assert_eq!(text.parse::<ReturnCode>(), Err(ReturnCodeError), "{text:?}");
        }
        assert!(serde_json::from_str::<ReturnCode>("\"R99\"").is_err());
        assert_eq!(serde_json::to_string(&code("R01")).ok().as_deref(), Some("\"R01\""));
    }

    #[test]
    fn unauthorized_entries_are_returnable_for_sixty_days() {
        let long: Vec<String> = ReturnCode::all()
            .filter(|code| code.window() == Window::CalendarDays(60))
            .map(|code| code.to_string())
            .collect();
        let expected = "R05 R06 R07 R10 R11 R23 R31 R33 R37 R38 R51 R52 R53 R80 R81 R82 R83 R84 R85";
        assert_eq!(long.join(" "), expected);
        assert!(
            ReturnCode::all()
                .all(|code| { matches!(code.window(), Window::CalendarDays(60) | Window::BankingDays(2)) })
        );
    }

    #[test]
    fn own_codes_are_stored_but_not_accepted() {
        assert_eq!(OWN_CODE_TEXTS.len(), data_lines(OWN_CODES).count());
        for own in [ReturnCode::UNSUPPORTED_BY_FORMAT, ReturnCode::CLOSED, ReturnCode::TOO_MUCH] {
            let text = own.to_string();
            assert_eq!(text.parse::<ReturnCode>(), Err(ReturnCodeError), "{text}");
            assert_eq!(serde_json::from_str::<ReturnCode>(&format!("\"{text}\"")).ok(), Some(own));
            assert!(!own.title().is_empty() && own.consequence() == Consequence::Item, "{text}");
        }
        assert!(OWN_CODE_TEXTS.iter().all(|(code, _)| {
            [ReturnCode::UNSUPPORTED_BY_FORMAT, ReturnCode::CLOSED, ReturnCode::TOO_MUCH].contains(code)
        }));
    }

    #[test]
    fn every_code_has_its_consequence() {
        let of = |consequence| {
            let codes = ReturnCode::all().filter(|code| code.consequence() == consequence);
            codes.map(|code| code.to_string()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of(Consequence::Lock), "R02 R03 R04 R16 R20");
        assert_eq!(of(Consequence::Credit), "R05 R07 R10 R29");
        assert_eq!(of(Consequence::Again), "R01 R09");
        let rest = "R06 R08 R11 R12 R13 R14 R15 R17 R18 R19 R21 R22 R23 R24 R25 R26 R27 R28 R30 R31 R32 R33 R34 R35 R36 \
                    R37 R38 R39 R40 R41 R42 R43 R44 R45 R46 R47 R50 R51 R52 R53 R80 R81 R82 R83 R84 R85";
        assert_eq!(of(Consequence::Item), rest);
    }

    #[test]
    fn last_day_is_a_banking_day() {
        let table = [
            ("R01", "2026-01-05", "2026-01-07"),
            ("R01", "2026-01-15", "2026-01-20"),
            ("R29", "2026-07-02", "2026-07-06"),
            // The sixtieth day is Friday, 6 March.
            ("R10", "2026-01-05", "2026-03-09"),
            ("R07", "2026-01-06", "2026-03-09"),
            ("R07", "2026-01-08", "2026-03-10"),
        ];
        for (text, settled, expected) in table {
            let settled = settled.parse().expect("a date");
            assert_eq!(code(text).last_day(settled).to_string(), expected, "{text} {settled}");
        }
    }
}
