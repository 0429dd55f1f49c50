//! A day, counted; years, months and weekdays by arithmetic of our own.

use std::fmt;
use std::str::FromStr;

use crate::text::stored_as_text;
use crate::time::{DAY_MS, Timestamp};

/// A day of UTC: days since 1970-01-01. Written `2026-01-05`.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(i32);

/// A day of the week.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Weekday {
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
    Sunday,
}

/// A text that is not a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a date: year-month-day expected, as in 2026-01-05")]
pub struct DayError;

/// Days from 0000-03-01 to 1970-01-01: years are counted from March on, so that a leap day is a year's last.
const EPOCH: i64 = 719_468;
/// Days of 400 years, after which the calendar repeats.
const ERA: i64 = 146_097;

impl Day {
    /// The day that `at` is in.
    #[must_use]
    pub fn of(at: Timestamp) -> Self {
        Self::clamped(at.ms().div_euclid(DAY_MS))
    }

    /// The day of this date of the Gregorian calendar, if there is one; months and days from 1 on, years 0 to 9999.
    #[must_use]
    pub fn from_civil(year: i32, month: u8, day: u8) -> Option<Self> {
        if !(0..=9999).contains(&year) || !(1..=12).contains(&month) {
            return None;
        }
        let (march_year, march_month) = match month {
            1 | 2 => (i64::from(year) - 1, i64::from(month) + 9),
            _ => (i64::from(year), i64::from(month) - 3),
        };
        let (era, year_of_era) = (march_year.div_euclid(400), march_year.rem_euclid(400));
        let day_of_year = (153 * march_month + 2) / 5 + i64::from(day) - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        let found = Self::clamped(era * ERA + day_of_era - EPOCH);
        // A 30 February would be one of March.
        (found.civil() == (year, month, day)).then_some(found)
    }

    /// Year, month and day of the month, the latter two from 1 on.
    #[must_use]
    pub fn civil(self) -> (i32, u8, u8) {
        let days = i64::from(self.0) + EPOCH;
        let (era, day_of_era) = (days.div_euclid(ERA), days.rem_euclid(ERA));
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let march_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * march_month + 2) / 5 + 1;
        let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let small = |number: i64| u8::try_from(number).unwrap_or_default();
        (i32::try_from(year).unwrap_or_default(), small(month), small(day))
    }

    /// Its first moment.
    #[must_use]
    pub fn start(self) -> Timestamp {
        Timestamp::from_ms(i64::from(self.0) * DAY_MS)
    }

    /// The day `days` later; the last one there is if that does not fit.
    #[must_use]
    pub const fn plus_days(self, days: i32) -> Self {
        Self(self.0.saturating_add(days))
    }

    /// Its day of the week.
    #[must_use]
    pub const fn weekday(self) -> Weekday {
        // The epoch was a Thursday.
        match self.0.rem_euclid(7) {
            0 => Weekday::Thursday,
            1 => Weekday::Friday,
            2 => Weekday::Saturday,
            3 => Weekday::Sunday,
            4 => Weekday::Monday,
            5 => Weekday::Tuesday,
            _ => Weekday::Wednesday,
        }
    }

    fn clamped(days: i64) -> Self {
        let end = if days < 0 { i32::MIN } else { i32::MAX };
        Self(i32::try_from(days).unwrap_or(end))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.civil();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

impl fmt::Debug for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl FromStr for Day {
    type Err = DayError;
    fn from_str(text: &str) -> Result<Self, DayError> {
        let mut parts = text.split('-');
        let mut part = |width: usize| {
            let part = parts.next().filter(|part| part.len() == width)?;
            part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse::<u16>().ok())?
        };
        let (year, month, day) = (part(4), part(2), part(2));
        let small = |number: Option<u16>| number.and_then(|number| u8::try_from(number).ok());
        match (year, small(month), small(day), parts.next()) {
            (Some(year), Some(month), Some(day), None) => {
                Self::from_civil(year.into(), month, day).ok_or(DayError)
            }
            _ => Err(DayError),
        }
    }
}

stored_as_text!(Day);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_four_centuries_reads_back_and_follows_its_yesterday() {
        let mut day: Day = "1800-01-01".parse().expect("a date");
        while day.civil().0 < 2200 {
            assert_eq!(day.to_string().parse(), Ok(day));
            let (next, (year, month, of_month)) = (day.plus_days(1), day.civil());
            let expected = Day::from_civil(year, month, of_month + 1)
                .or_else(|| Day::from_civil(year, month + 1, 1))
                .or_else(|| Day::from_civil(year + 1, 1, 1));
            assert_eq!(Some(next), expected);
            day = next;
        }
    }

    #[test]
    fn known_days_have_their_weekday() {
        let table = [
            ("1970-01-01", Weekday::Thursday),
            ("1969-12-31", Weekday::Wednesday),
            ("2000-02-29", Weekday::Tuesday),
            ("2026-01-05", Weekday::Monday),
        ];
        for (text, expected) in table {
            assert_eq!(text.parse().map(Day::weekday), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_date_is_refused() {
        let texts = ["", "2026-02-29", "2026-13-01", "2026-00-01", "2026-01-00", "2026-1-05", "26-01-05"];
        for text in
            texts.into_iter().chain(["2026-01-05 ", "2026-01-05-", "+026-01-05", "-2026-01-05", "2026-01-٠٥"])
        {
            assert_eq!(text.parse::<Day>(), Err(DayError), "{text:?}");
        }
    }

    #[test]
    fn a_moment_is_in_its_day() {
        let day: Day = "2026-01-05".parse().expect("a date");
        assert_eq!(Day::of(day.start()), day);
        assert_eq!(Day::of(day.start().plus_ms(DAY_MS - 1)), day);
        assert_eq!(Day::of(day.start().plus_ms(-1)), day.plus_days(-1));
        for ms in [i64::MIN, i64::MAX] {
            assert!(!Day::of(Timestamp::from_ms(ms)).to_string().is_empty());
        }
    }
}
