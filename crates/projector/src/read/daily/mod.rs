//! Daily: what each day adds to an account, by the day on which entries count and not by when they were recorded.
//!
//! The sum of the days up to one is the balance by that day, however late an entry came.

mod v1;

use daybook_domain::Timestamp;
use daybook_domain::time::DAY_MS;
pub(crate) use v1::Daily;

/// The sum of an account's days up to one: shard, account, day.
pub(crate) const AT: &str = include_str!("at.sql");

/// The table.
pub(crate) const SCHEMA: &str = include_str!("schema.sql");

/// The day of a moment: days since 1970-01-01, UTC. The log takes the years 1 to 9999, whose days all fit.
pub(crate) fn day_of(at: Timestamp) -> i32 {
    i32::try_from(at.ms().div_euclid(DAY_MS)).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_ends_right_before_midnight() {
        let table = [(0, 0), (DAY_MS - 1, 0), (DAY_MS, 1), (-1, -1), (-DAY_MS, -1), (-DAY_MS - 1, -2)];
        for (ms, day) in table {
            assert_eq!(day_of(Timestamp::from_ms(ms)), day, "{ms}");
        }
    }
}
