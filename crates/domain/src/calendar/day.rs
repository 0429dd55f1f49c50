//! A day, counted from the Unix epoch. The crate jiff computes its date.

use std::fmt;
use std::str::FromStr;

use jiff::SignedDuration;
use jiff::civil::{Date, date};

use crate::text::stored_as_text;
use crate::time::{DAY_MS, Timestamp};

/// A day of UTC: days since 1970-01-01. Written `2026-01-05`.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(i32);

/// Error of a text that is not a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a date: year-month-day expected, as in 2026-01-05")]
pub struct DayError;

/// Date of day 0.
const EPOCH: Date = date(1970, 1, 1);

impl Day {
    /// The day that contains `at`.
    #[must_use]
    pub fn of(at: Timestamp) -> Self {
        Self::clamped(at.ms().div_euclid(DAY_MS))
    }

    /// The day with this date of the Gregorian calendar, if the date exists. Months and days count from 1; years are 0
    /// to 9999.
    #[must_use]
    pub fn from_civil(year: i64, month: i64, day: i64) -> Option<Self> {
        let year = i16::try_from(year).ok().filter(|year| *year >= 0)?;
        Date::new(year, month.try_into().ok()?, day.try_into().ok()?).ok().map(Self::from)
    }

    /// Date of the day, clamped to the years -9999 to 9999.
    #[must_use]
    pub fn date(self) -> Date {
        EPOCH.saturating_add(SignedDuration::from_hours(i64::from(self.0) * 24))
    }

    /// Days since 1970-01-01.
    #[must_use]
    pub const fn number(self) -> i32 {
        self.0
    }

    /// First millisecond of the day.
    #[must_use]
    pub fn start(self) -> Timestamp {
        Timestamp::from_ms(i64::from(self.0) * DAY_MS)
    }

    /// The day `days` later, saturating at the ends of the range.
    #[must_use]
    pub const fn plus_days(self, days: i32) -> Self {
        Self(self.0.saturating_add(days))
    }

    fn clamped(days: i64) -> Self {
        let end = if days < 0 { i32::MIN } else { i32::MAX };
        Self(i32::try_from(days).unwrap_or(end))
    }
}

impl From<Date> for Day {
    fn from(date: Date) -> Self {
        Self::clamped(date.duration_since(EPOCH).as_hours() / 24)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.date().fmt(f)
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
        // jiff also reads other spellings of ISO 8601: 20260105, or a year of six digits.
        let is_plain = matches!(text.as_bytes(), [_, _, _, _, b'-', _, _, b'-', _, _]);
        let date = is_plain.then(|| text.parse::<Date>().ok()).flatten();
        date.map(Self::from).ok_or(DayError)
    }
}

stored_as_text!(Day);

#[cfg(test)]
mod tests {
    use jiff::civil::Weekday;

    use super::*;

    #[test]
    fn days_of_four_centuries_read_back_consecutively() {
        let mut day: Day = "1800-01-01".parse().expect("a date");
        while day.date().year() < 2200 {
            assert_eq!(day.to_string().parse(), Ok(day));
            let (next, date) = (day.plus_days(1), day.date());
            let (year, month, of_month) = (date.year().into(), date.month().into(), i64::from(date.day()));
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
            assert_eq!(text.parse().map(|day: Day| day.date().weekday()), Ok(expected), "{text}");
        }
    }

    #[test]
    fn invalid_dates_are_refused() {
        let texts = ["", "2026-02-29", "2026-13-01", "2026-00-01", "2026-01-00", "2026-1-05", "26-01-05"];
        for text in texts
            .into_iter()
            .chain(["2026-01-05 ", "2026-01-05-", "+026-01-05", "-2026-01-05", "2026-01-٠٥"])
            .chain(["20260105", "2026-W01-1", "-002026-01-05", "2026-01-05T00", "202601-05-"])
        {
            assert_eq!(text.parse::<Day>(), Err(DayError), "{text:?}");
        }
    }

    #[test]
    fn day_contains_its_first_and_last_millisecond() {
        let day: Day = "2026-01-05".parse().expect("a date");
        assert_eq!(Day::of(day.start()), day);
        assert_eq!(Day::of(day.start().plus_ms(DAY_MS - 1)), day);
        assert_eq!(Day::of(day.start().plus_ms(-1)), day.plus_days(-1));
        for ms in [i64::MIN, i64::MAX] {
            assert!(!Day::of(Timestamp::from_ms(ms)).to_string().is_empty());
        }
    }

    #[test]
    fn days_have_years_from_0_to_9999() {
        let table = [("0000-01-01", -719_528), ("0001-01-01", -719_162), ("9999-12-31", 2_932_896)];
        for (text, number) in table {
            assert_eq!(text.parse().map(Day::number), Ok(number), "{text}");
        }
        for (year, month, day) in [(-1, 1, 1), (10_000, 1, 1), (2026, 0, 1), (2026, 1, i64::MAX)] {
            assert_eq!(Day::from_civil(year, month, day), None, "{year} {month} {day}");
        }
    }

    #[test]
    fn days_beyond_the_calendar_are_clamped() {
        let shown = [i32::MIN, i32::MAX].map(|days| Day(days).to_string());
        assert_eq!(shown, ["-009999-01-01", "9999-12-31"]);
    }
}
