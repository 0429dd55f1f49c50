//! A month of UTC.

use std::fmt;
use std::str::FromStr;

use super::{Day, DayError};
use crate::text::stored_as_text;
use crate::time::Timestamp;

/// Months per year.
const MONTHS_PER_YEAR: i32 = 12;

/// A month of UTC: months since January of the year 0. Written `2026-01`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month(i32);

impl Month {
    /// The month that contains `day`.
    #[must_use]
    pub fn of(day: Day) -> Self {
        let date = day.date();
        Self(i32::from(date.year()) * MONTHS_PER_YEAR + i32::from(date.month()) - 1)
    }

    /// Months since January of the year 0; 0 for earlier months.
    #[must_use]
    pub fn number(self) -> u32 {
        u32::try_from(self.0).unwrap_or_default()
    }

    /// The month that is a number of years later.
    #[must_use]
    pub fn plus_years(self, years: u16) -> Self {
        Self(self.0.saturating_add(i32::from(years) * MONTHS_PER_YEAR))
    }

    /// First day of the month; the last representable day after the year 9999.
    #[must_use]
    pub fn first_day(self) -> Day {
        Day::of(self.start())
    }

    /// First millisecond of the month; the end of time after the year 9999, the beginning of time before the year 0.
    #[must_use]
    pub fn start(self) -> Timestamp {
        let (year, month) = (self.0.div_euclid(MONTHS_PER_YEAR), self.0.rem_euclid(MONTHS_PER_YEAR) + 1);
        let first = Day::from_civil(year.into(), month.into(), 1);
        let beyond = if self.0 < 0 { i64::MIN } else { i64::MAX };
        first.map_or(Timestamp::from_ms(beyond), Day::start)
    }

    /// Last millisecond of the month.
    #[must_use]
    pub fn end(self) -> Timestamp {
        self.next().start().plus_ms(-1)
    }

    /// The following month.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// The preceding month.
    #[must_use]
    pub const fn previous(self) -> Self {
        Self(self.0.saturating_sub(1))
    }

    /// Number of months from this one to `last`, both included; 0 if `last` is earlier.
    #[must_use]
    pub fn count_to(self, last: Self) -> u32 {
        u32::try_from(last.0.saturating_sub(self.0).saturating_add(1)).unwrap_or_default()
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.0.div_euclid(MONTHS_PER_YEAR), self.0.rem_euclid(MONTHS_PER_YEAR) + 1)
    }
}

impl fmt::Debug for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl FromStr for Month {
    type Err = DayError;
    fn from_str(text: &str) -> Result<Self, DayError> {
        format!("{text}-01").parse().map(Self::of)
    }
}

stored_as_text!(Month);

#[cfg(test)]
mod tests {
    use super::*;

    fn month(text: &str) -> Month {
        text.parse().expect("a month")
    }

    #[test]
    fn month_ends_where_the_next_begins() {
        let mut at = month("1899-12");
        while at < month("2105-01") {
            assert_eq!(at.to_string().parse(), Ok(at));
            assert_eq!(at.end().plus_ms(1), at.next().start());
            assert_eq!(at.next().previous(), at);
            for moment in [at.start(), at.end()] {
                assert_eq!(Month::of(Day::of(moment)), at, "{moment:?}");
            }
            at = at.next();
        }
        assert_eq!(month("2024-02").end().plus_ms(1), month("2024-03").start());
    }

    #[test]
    fn months_are_counted_with_both_ends() {
        let table = [("2026-01", "2026-01", 1), ("2025-11", "2026-02", 4), ("2026-02", "2026-01", 0)];
        for (first, last, count) in table {
            assert_eq!(month(first).count_to(month(last)), count, "{first} {last}");
        }
    }

    #[test]
    fn invalid_months_are_refused() {
        for text in
            ["", "2026", "2026-13", "2026-00", "2026-1", "26-01", "2026-01-01", "-2026-01", "2026-01 "]
        {
            assert_eq!(text.parse::<Month>(), Err(DayError), "{text:?}");
        }
    }

    #[test]
    fn months_beyond_the_calendar_are_clamped() {
        assert_eq!(month("9999-12").next().start(), Timestamp::from_ms(i64::MAX));
        assert_eq!(month("0000-01").previous().start(), Timestamp::from_ms(i64::MIN));
    }
}
