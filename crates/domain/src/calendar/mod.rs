//! Calendar of the US banks: banking days, and the time in which an ACH entry may be returned.
//!
//! Days are days of UTC, as are all times. Outside the years of `bank_holidays.txt` only Saturdays and Sundays count as
//! free days.

mod age;
mod day;
mod month;
mod return_code;
mod zone;

use std::sync::LazyLock;

use jiff::civil::Weekday;

pub use age::banking_days_between;
pub use day::{Day, DayError};
pub use month::Month;
pub use return_code::{Consequence, ReturnCode, ReturnCodeError, Window};

use crate::text::data_lines;

const BANK_HOLIDAYS: &str = include_str!("bank_holidays.txt");

/// The bank holidays in ascending order.
static HOLIDAYS: LazyLock<Vec<Day>> =
    LazyLock::new(|| data_lines(BANK_HOLIDAYS).filter_map(|line| line.parse().ok()).collect());

/// Number of consecutive days among which there is always a banking day.
const MAX_DAYS_BETWEEN_BANKING_DAYS: i32 = 7;

/// Returns true if the Federal Reserve Banks settle on `day`.
#[must_use]
pub fn is_banking_day(day: Day) -> bool {
    !matches!(day.date().weekday(), Weekday::Saturday | Weekday::Sunday)
        && HOLIDAYS.binary_search(&day).is_err()
}

/// The first banking day after `day`.
#[must_use]
pub fn next_banking_day(day: Day) -> Day {
    let after = (1..=MAX_DAYS_BETWEEN_BANKING_DAYS).map(|days| day.plus_days(days));
    // Only at the end of time is there no banking day.
    after.into_iter().find(|&day| is_banking_day(day)).unwrap_or(day)
}

/// The `count`th banking day after `day`; `day` itself if `count` is zero.
#[must_use]
pub fn plus_banking_days(day: Day, count: u16) -> Day {
    (0..count).fold(day, |day, _| next_banking_day(day))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Day {
        text.parse().expect("a date")
    }

    /// The `nth` such weekday of a month, counted from 1.
    fn nth(year: i64, month: i64, weekday: Weekday, nth: usize) -> Day {
        let days = (1..=31).filter_map(|day| Day::from_civil(year, month, day));
        days.filter(|day| day.date().weekday() == weekday).nth(nth - 1).expect("a day of the month")
    }

    fn holidays(year: i64) -> Vec<Day> {
        let juneteenth = (year >= 2021).then_some((6, 19));
        let fixed = [(1, 1), (7, 4), (11, 11), (12, 25)].into_iter().chain(juneteenth);
        let fixed = fixed.filter_map(|(month, day)| {
            let day = Day::from_civil(year, month, day).expect("a date");
            match day.date().weekday() {
                Weekday::Saturday => None,
                Weekday::Sunday => Some(day.plus_days(1)),
                Weekday::Monday
                | Weekday::Tuesday
                | Weekday::Wednesday
                | Weekday::Thursday
                | Weekday::Friday => Some(day),
            }
        });
        let last_monday_of_may = (25..=31)
            .filter_map(|day| Day::from_civil(year, 5, day))
            .find(|day| day.date().weekday() == Weekday::Monday);
        let moving = [
            nth(year, 1, Weekday::Monday, 3),
            nth(year, 2, Weekday::Monday, 3),
            last_monday_of_may.expect("a Monday"),
            nth(year, 9, Weekday::Monday, 1),
            nth(year, 10, Weekday::Monday, 2),
            nth(year, 11, Weekday::Thursday, 4),
        ];
        let mut all: Vec<Day> = fixed.chain(moving).collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn holiday_rules_reproduce_the_file() {
        let made: Vec<String> = (2020..=2035).flat_map(holidays).map(|day| day.to_string()).collect();
        let file: Vec<&str> = data_lines(BANK_HOLIDAYS).collect();
        assert_eq!(made, file);
        assert_eq!(HOLIDAYS.len(), file.len());
    }

    #[test]
    fn weekends_and_holidays_are_no_banking_days() {
        let table = [
            ("2026-01-01", false),
            ("2026-01-02", true),
            ("2026-01-03", false),
            // On Saturday, 4 July 2026 is not moved to Friday.
            ("2026-07-03", true),
            // On Sunday, 4 July 2027 is observed on Monday.
            ("2027-07-05", false),
            ("2020-06-19", true),
            ("2026-11-27", true),
        ];
        for (text, expected) in table {
            assert_eq!(is_banking_day(day(text)), expected, "{text}");
        }
    }

    #[test]
    fn banking_days_skip_weekends_and_holidays() {
        let table = [
            ("2026-01-05", 0, "2026-01-05"),
            ("2026-01-05", 1, "2026-01-06"),
            ("2026-01-09", 1, "2026-01-12"),
            ("2026-01-16", 2, "2026-01-21"),
            ("2026-01-17", 1, "2026-01-20"),
            ("2026-12-24", 1, "2026-12-28"),
        ];
        for (from, count, expected) in table {
            assert_eq!(plus_banking_days(day(from), count), day(expected), "{from} + {count}");
        }
    }

    #[test]
    fn counting_stops_at_the_end_of_time() {
        let end = Day::of(crate::Timestamp::from_ms(i64::MAX));
        assert!(plus_banking_days(end, u16::MAX) <= end);
    }
}
