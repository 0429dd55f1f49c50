//! Cut-off times: a time of the day in a time zone, and its conversion to points in time.

use std::str::FromStr;

use daybook_domain::Timestamp;
use daybook_domain::calendar::{Day, is_banking_day};
use daybook_domain::custody::CutOff;
use jiff::civil;
use jiff::tz::{TimeZone, TimeZoneDatabase};

/// Maximum distance of two consecutive banking days, in days.
const MAX_DAYS_BETWEEN_BANKING_DAYS: i32 = 7;

/// Time of the day at which a bank closes a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutOffTime {
    time: civil::Time,
    zone: TimeZone,
}

/// Error of a text that is not a cut-off time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CutOffError {
    /// The time is not valid.
    #[error("a time of the day is expected, with or without a time zone: 15:00 America/New_York")]
    Time,
    /// No time zone has the name.
    #[error("no time zone has this name; a name of the IANA database is expected: America/New_York")]
    Zone,
}

impl CutOffTime {
    /// Returns the newest cut-off at `now`: on a banking day of its time zone, and not after `now`.
    ///
    /// A local time that is skipped when clocks are put forward is moved by the skipped amount. If a local time occurs
    /// twice on a day, the first one counts.
    #[must_use]
    pub fn newest(&self, now: Timestamp) -> Option<CutOff> {
        let today = self.day(now)?;
        let days = (0..=MAX_DAYS_BETWEEN_BANKING_DAYS)
            .map(|days| today.plus_days(-days))
            .filter(|day| is_banking_day(*day));
        let mut cut_offs = days.filter_map(|day| Some(CutOff { at: day.at(self.time, &self.zone)?, day }));
        cut_offs.find(|cut_off| cut_off.at <= now)
    }

    /// Returns the local day at `at`, or `None` outside the years 0 to 9999.
    #[must_use]
    pub fn day(&self, at: Timestamp) -> Option<Day> {
        Day::of_zone(at, &self.zone)
    }
}

impl FromStr for CutOffTime {
    type Err = CutOffError;

    fn from_str(text: &str) -> Result<Self, CutOffError> {
        let (time, zone) =
            text.trim().split_once(' ').map_or((text.trim(), None), |(time, zone)| (time, Some(zone)));
        // jiff also parses other forms of ISO 8601.
        let is_plain = matches!(time.as_bytes(), [_, _, b':', _, _]);
        let time = is_plain.then(|| time.parse().ok()).flatten().ok_or(CutOffError::Time)?;
        let zone = zone.map_or(Ok(TimeZone::UTC), |name| time_zone(name.trim()))?;
        Ok(Self { time, zone })
    }
}

/// Name of UTC in the IANA database.
pub const UTC: &str = "UTC";

/// Finds a time zone by its name in the IANA database, ignoring case.
fn time_zone(name: &str) -> Result<TimeZone, CutOffError> {
    TimeZoneDatabase::bundled().get(name).map_err(|_| CutOffError::Zone)
}

/// Returns the name of a time zone in the spelling of the IANA database.
///
/// # Errors
///
/// [`CutOffError::Zone`] if there is no such time zone.
pub(super) fn parse_time_zone(text: &str) -> Result<String, CutOffError> {
    let zone = time_zone(text)?;
    zone.iana_name().map(str::to_owned).ok_or(CutOffError::Zone)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut_off(text: &str) -> CutOffTime {
        text.parse().expect("a cut-off")
    }

    fn at(text: &str) -> Timestamp {
        let at: jiff::Timestamp = text.parse().expect("a moment");
        Timestamp::from_ms(at.as_millisecond())
    }

    #[test]
    fn time_and_zone_are_read() {
        for text in ["00:00", "23:59", "15:00 America/New_York", " 15:00  America/New_York ", "15:00 UTC"] {
            assert!(text.parse::<CutOffTime>().is_ok(), "{text}");
        }
        for text in
            ["", "8:00", "24:00", "20:60", "20:00:00", "+8:00", "2000", "T8:00", "20:0Z", "America/New_York"]
        {
            assert_eq!(text.parse::<CutOffTime>(), Err(CutOffError::Time), "{text}");
        }
        for text in ["15:00 Mars/Olympus", "15:00 EST5EDT4", "15:00 ../../etc/passwd", "15:00 +02:00"] {
            assert_eq!(text.parse::<CutOffTime>(), Err(CutOffError::Zone), "{text}");
        }
    }

    #[test]
    fn names_of_zones_have_one_spelling() {
        let table = [
            ("america/new_york", Some("America/New_York")),
            ("utc", Some(UTC)),
            ("", None),
            ("+02:00", None),
        ];
        for (text, name) in table {
            assert_eq!(parse_time_zone(text).ok().as_deref(), name, "{text}");
        }
    }

    #[test]
    fn newest_uses_the_banks_day() {
        let (new_york, utc) = (cut_off("17:00 America/New_York"), cut_off("20:00"));
        let table = [
            // Summer and winter in New York. The day is that of New York, when UTC has the next one.
            (&new_york, "2026-07-08T20:59:59.999Z", "2026-07-07T21:00:00Z", "2026-07-07"),
            (&new_york, "2026-07-08T21:00:00Z", "2026-07-08T21:00:00Z", "2026-07-08"),
            (&new_york, "2026-07-09T01:00:00Z", "2026-07-08T21:00:00Z", "2026-07-08"),
            (&new_york, "2026-01-08T21:59:59.999Z", "2026-01-07T22:00:00Z", "2026-01-07"),
            (&new_york, "2026-01-08T22:00:00Z", "2026-01-08T22:00:00Z", "2026-01-08"),
            // A weekend, followed by a holiday.
            (&new_york, "2026-01-20T21:00:00Z", "2026-01-16T22:00:00Z", "2026-01-16"),
            (&utc, "2026-01-09T19:59:59.999Z", "2026-01-08T20:00:00Z", "2026-01-08"),
            (&utc, "2026-01-11T21:00:00Z", "2026-01-09T20:00:00Z", "2026-01-09"),
        ];
        for (cut_off, now, expected, day) in table {
            let found = cut_off.newest(at(now)).expect("there is one");
            assert_eq!((found.at, found.day.to_string().as_str()), (at(expected), day), "{now}");
        }
    }

    #[test]
    fn clocks_are_put_forward_and_back() {
        // Berlin has no 02:30 on Sunday, 29 March 2026, and two on Sunday, 25 October. The clocks of New York change on
        // Sundays as well, when no bank works. The clocks of Cairo are put forward on a Friday, at midnight.
        let cairo = cut_off("00:30 Africa/Cairo");
        let found = cairo.newest(at("2026-04-24T20:00:00Z")).expect("there is one");
        assert_eq!((found.at, found.day.to_string().as_str()), (at("2026-04-23T22:30:00Z"), "2026-04-24"));
        let moment = |text: &str, day: &str| {
            let CutOffTime { time, zone } = cut_off(text);
            day.parse::<Day>().expect("a date").at(time, &zone)
        };
        assert_eq!(moment("02:30 Europe/Berlin", "2026-03-29"), Some(at("2026-03-29T01:30:00Z")));
        assert_eq!(moment("02:30 Europe/Berlin", "2026-10-25"), Some(at("2026-10-25T00:30:00Z")));
    }

    #[test]
    fn ends_of_time_have_no_cut_off() {
        for ms in [i64::MIN, i64::MAX] {
            assert_eq!(cut_off("20:00").newest(Timestamp::from_ms(ms)), None);
        }
    }
}
