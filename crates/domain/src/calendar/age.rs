//! Age in banking days.

use jiff::civil::Weekday;

use super::{Day, HOLIDAYS};

/// Number of days of a week on which banks may settle.
const WEEKDAYS: u32 = 5;

/// Number of banking days after `since`, up to and including `until`; 0 if `until` is not after `since`.
#[must_use]
pub fn banking_days_between(since: Day, until: Day) -> u32 {
    let days = u32::try_from(i64::from(until.number()) - i64::from(since.number())).unwrap_or_default();
    let rest = (1..=7).map(|days| since.plus_days(days)).take(days as usize % 7);
    let is_weekday = |day: &Day| !matches!(day.date().weekday(), Weekday::Saturday | Weekday::Sunday);
    let rest = rest.filter(is_weekday).map(|_| 1).sum::<u32>();
    // Every holiday in the list is a weekday.
    let before = |day: Day| HOLIDAYS.partition_point(|holiday| *holiday <= day);
    let holidays = u32::try_from(before(until).saturating_sub(before(since))).unwrap_or_default();
    (days / 7 * WEEKDAYS).saturating_add(rest).saturating_sub(holidays)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::is_banking_day;

    fn day(text: &str) -> Day {
        text.parse().expect("a date")
    }

    #[test]
    fn age_counts_each_banking_day_once() {
        for start in 0..30 {
            let since = day("2026-06-20").plus_days(start);
            for days in 0..400 {
                let until = since.plus_days(days);
                let counted = (1..=days).filter(|days| is_banking_day(since.plus_days(*days))).count();
                let age = banking_days_between(since, until);
                assert_eq!(u32::try_from(counted), Ok(age), "{since} {until}");
            }
        }
    }

    #[test]
    fn age_of_the_future_is_zero() {
        assert_eq!(banking_days_between(day("2026-01-06"), day("2026-01-05")), 0);
        let (first, last) = (day("0000-01-01"), day("9999-12-31"));
        assert!(banking_days_between(first, last) > 2_000_000);
    }
}
