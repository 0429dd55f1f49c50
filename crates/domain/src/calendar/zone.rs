//! Days of a time zone. The caller passes the zone: this crate has no database of zones.

use jiff::civil::Time;
use jiff::tz::TimeZone;

use super::Day;
use crate::time::Timestamp;

impl Day {
    /// The day in `zone` at `at`; `None` outside the years that the calendar supports.
    #[must_use]
    pub fn of_zone(at: Timestamp, zone: &TimeZone) -> Option<Self> {
        let at = jiff::Timestamp::from_millisecond(at.ms()).ok()?;
        Some(zone.to_datetime(at).date().into())
    }

    /// The point in time at which clocks in `zone` show `time` on this day; `None` outside the supported years. If
    /// clocks go forward over that time, the result is later by the same amount; if the time occurs twice, the first
    /// one counts.
    #[must_use]
    pub fn at(self, time: Time, zone: &TimeZone) -> Option<Timestamp> {
        let at = zone.to_timestamp(self.date().to_datetime(time)).ok()?;
        Some(Timestamp::from_ms(at.as_millisecond()))
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::offset;

    use super::*;

    #[test]
    fn midnight_follows_the_time_zone() {
        let day: Day = "2026-01-05".parse().expect("a date");
        for (hours, zone) in [0, 14, -12].map(|hours| (hours, TimeZone::fixed(offset(hours)))) {
            let midnight = day.at(Time::midnight(), &zone).expect("a moment");
            assert_eq!(midnight, day.start().plus_ms(i64::from(hours) * -3_600_000));
            assert_eq!(Day::of_zone(midnight, &zone), Some(day));
            assert_eq!(Day::of_zone(midnight.plus_ms(-1), &zone), Some(day.plus_days(-1)));
        }
    }

    #[test]
    fn times_beyond_the_calendar_have_no_day() {
        for ms in [i64::MIN, i64::MAX] {
            assert_eq!(Day::of_zone(Timestamp::from_ms(ms), &TimeZone::UTC), None);
        }
    }
}
