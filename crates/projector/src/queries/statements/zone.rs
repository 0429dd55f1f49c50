//! Months of a time zone, by the tables of the crate jiff, which are compiled into the program.

use daybook_domain::Timestamp;
use daybook_domain::calendar::{Day, Month};
use jiff::civil::Time;
use jiff::tz::{TimeZone, TimeZoneDatabase};

/// A time zone in which months begin and end.
#[derive(Clone, Debug)]
pub(super) struct Zone(TimeZone);

impl Zone {
    /// Returns the zone with this name in the IANA database; UTC without a name, and none if no zone has the name.
    pub(super) fn named(name: Option<&str>) -> Option<Self> {
        let Some(name) = name else { return Some(Self(TimeZone::UTC)) };
        TimeZoneDatabase::bundled().get(name).ok().map(Self)
    }

    /// Returns the month at the time `at`. If clocks that are put back show the month before once more, the month that
    /// has begun continues.
    pub(super) fn month(&self, at: Timestamp) -> Month {
        let Some(day) = Day::of_zone(at, &self.0) else { return Month::of(Day::of(at)) };
        let shown = Month::of(day);
        if self.start(shown.next()) <= at { shown.next() } else { shown }
    }

    /// Returns the first moment of a month. If clocks are put forward at its midnight, that is the moment after the
    /// gap.
    pub(super) fn start(&self, month: Month) -> Timestamp {
        Day::of(month.start()).at(Time::midnight(), &self.0).unwrap_or_else(|| month.start())
    }

    /// Returns the last moment of a month: a millisecond before the next one begins.
    pub(super) fn end(&self, month: Month) -> Timestamp {
        self.start(month.next()).plus_ms(-1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(name: &str) -> Zone {
        Zone::named(Some(name)).expect("a zone")
    }

    fn at(text: &str) -> Timestamp {
        let at: jiff::Timestamp = text.parse().expect("a moment");
        Timestamp::from_ms(at.as_millisecond())
    }

    fn month(text: &str) -> Month {
        text.parse().expect("a month")
    }

    #[test]
    fn months_begin_at_zone_midnight() {
        let table = [
            ("America/New_York", "2026-01", "2026-01-01T05:00:00Z"),
            ("America/New_York", "2026-04", "2026-04-01T04:00:00Z"),
            ("Pacific/Kiritimati", "2026-03", "2026-02-28T10:00:00Z"),
            ("Asia/Kathmandu", "2026-05", "2026-04-30T18:15:00Z"),
            // Clocks were put back at 00:01 on the first of November: its first moment is the earlier one.
            ("America/St_Johns", "2009-11", "2009-11-01T02:30:00Z"),
            // Clocks were put forward at midnight on the first of October: it began at 01:00.
            ("America/Asuncion", "2017-10", "2017-10-01T04:00:00Z"),
            ("UTC", "2026-01", "2026-01-01T00:00:00Z"),
        ];
        for (name, of, start) in table {
            assert_eq!(zone(name).start(month(of)), at(start), "{name} {of}");
        }
    }

    #[test]
    fn every_moment_has_one_month() {
        for name in ["America/New_York", "America/St_Johns", "America/Asuncion", "Pacific/Apia", "UTC"] {
            let zone = zone(name);
            let mut this = month("1995-01");
            while this < month("2035-01") {
                let (start, end) = (zone.start(this), zone.end(this));
                let moments = [start, start.plus_ms(90 * 60_000), end.plus_ms(-90 * 60_000), end];
                assert_eq!(moments.map(|at| zone.month(at)), [this; 4], "{name}");
                assert_eq!(end.plus_ms(1), zone.start(this.next()));
                this = this.next();
            }
        }
    }

    #[test]
    fn times_beyond_calendar_have_utc_months() {
        let zone = zone("America/New_York");
        for ms in [i64::MIN, i64::MAX] {
            let at = Timestamp::from_ms(ms);
            assert_eq!(zone.month(at), Month::of(Day::of(at)));
        }
    }

    #[test]
    fn unknown_zone_name_gives_none() {
        assert!(Zone::named(Some("Mars/Olympus")).is_none() && Zone::named(None).is_some());
    }
}
