//! Days of a time zone. Zones come from the caller: there is no database of them here.

use jiff::civil::Time;
use jiff::tz::TimeZone;

use super::Day;
use crate::time::Timestamp;

impl Day {
    /// The day that it is at `at` in `zone`; none beyond the years that the calendar knows.
    #[must_use]
    pub fn of_zone(at: Timestamp, zone: &TimeZone) -> Option<Self> {
        let at = jiff::Timestamp::from_millisecond(at.ms()).ok()?;
        Some(zone.to_datetime(at).date().into())
    }

    /// The moment at which it is `time` on this day in `zone`; none beyond those years. A time that the day does not have, when
    /// clocks are put forward, is as much later as they are; of one that it has twice the first counts.
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
    fn midnight_is_the_zones() {
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
