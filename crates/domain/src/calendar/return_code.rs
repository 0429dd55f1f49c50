//! Why a bank sends an ACH entry back, and until when it may.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use super::{Day, data_lines, next_banking_day, plus_banking_days};
use crate::text::stored_as_text;

const RETURN_CODES: &str = include_str!("return_codes.txt");

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| data_lines(RETURN_CODES).filter_map(Row::parse).collect());

/// A return reason code such as R01; only those of `return_codes.txt`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReturnCode([u8; 3]);

/// How long after settlement a return counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// So many banking days.
    BankingDays(u16),
    /// So many days, and on to the next banking day.
    CalendarDays(u16),
}

/// A text that is not a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a return reason code")]
pub struct ReturnCodeError;

/// A line of the file.
#[derive(Clone, Copy)]
struct Row {
    code: ReturnCode,
    window: Window,
    title: &'static str,
}

impl Row {
    fn parse(line: &'static str) -> Option<Self> {
        let mut parts = line.splitn(4, ' ');
        let code: [u8; 3] = parts.next()?.as_bytes().try_into().ok()?;
        let days: u16 = parts.next()?.parse().ok()?;
        let window = match parts.next()? {
            "banking" => Window::BankingDays(days),
            "calendar" => Window::CalendarDays(days),
            _ => return None,
        };
        let title = parts.next().filter(|title| !title.is_empty())?;
        let is_code = code[0] == b'R' && code[1..].iter().all(u8::is_ascii_digit);
        is_code.then_some(Self { code: ReturnCode(code), window, title })
    }
}

impl ReturnCode {
    /// Every code, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.code)
    }

    /// What it means, in a few words.
    #[must_use]
    pub fn title(self) -> &'static str {
        self.row().map_or("", |row| row.title)
    }

    /// How long after settlement a return with it counts.
    #[must_use]
    pub fn window(self) -> Window {
        self.row().map_or(Window::BankingDays(2), |row| row.window)
    }

    /// The last day on which a return with it counts, for an entry that settled on `settled`; on that day it still
    /// does.
    ///
    /// Two banking days: the second banking day after settlement. Sixty calendar days: the banking day after the
    /// sixtieth day. Source: Nacha Operating Rules, Article Three, 3.8 and 3.13: a return must be there for the
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

stored_as_text!(ReturnCode);

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> ReturnCode {
        text.parse().expect("a code")
    }

    #[test]
    fn every_line_of_the_file_is_a_code_and_each_code_has_one() {
        assert_eq!(ROWS.len(), data_lines(RETURN_CODES).count());
        assert!(ROWS.windows(2).all(|pair| pair[0].code < pair[1].code));
        for code in ReturnCode::all() {
            assert_eq!(code.to_string().parse(), Ok(code));
            assert!(!code.title().is_empty(), "{code}");
        }
    }

    #[test]
    fn what_is_not_a_code_is_refused() {
        for text in ["", "R1", "r01", "R00", "R48", "R61", "R99", "C01", "R01 ", "#  "] {
            assert_eq!(text.parse::<ReturnCode>(), Err(ReturnCodeError), "{text:?}");
        }
        assert!(serde_json::from_str::<ReturnCode>("\"R99\"").is_err());
        assert_eq!(serde_json::to_string(&code("R01")).ok().as_deref(), Some("\"R01\""));
    }

    #[test]
    fn what_the_receiver_did_not_allow_may_come_back_for_sixty_days() {
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
    fn the_last_day_is_a_banking_day() {
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
