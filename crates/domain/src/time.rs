//! Points in time as whole milliseconds. The caller passes them in: the domain has no clock.

use std::fmt;
use std::str::FromStr;

use jiff::SignedDuration;
use jiff::civil::DateTime;
use serde::{Deserialize, Serialize};

/// Milliseconds per day.
pub const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// The Unix epoch.
const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

/// A point in time: milliseconds since the Unix epoch, UTC. Written `2026-01-31T12:00:00.000Z`. Source: RFC 3339,
/// section 5.6.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The time `ms` milliseconds after the Unix epoch.
    #[must_use]
    pub const fn from_ms(ms: i64) -> Self {
        Self(ms)
    }

    /// Milliseconds since the Unix epoch.
    #[must_use]
    pub const fn ms(self) -> i64 {
        self.0
    }

    /// The time `ms` milliseconds later, saturating at the ends of the range.
    #[must_use]
    pub const fn plus_ms(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// Date and time in UTC, clamped to the years -9999 to 9999.
    #[must_use]
    pub fn datetime(self) -> DateTime {
        EPOCH.saturating_add(SignedDuration::from_millis(self.0))
    }
}

/// Error of a text that is not a time in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a time in UTC: expected as in 2026-03-01T12:00:00Z")]
pub struct TimestampError;

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}Z", self.datetime())
    }
}

impl FromStr for Timestamp {
    type Err = TimestampError;

    /// Reads a time with or without a fraction of a second. Digits beyond the millisecond are cut off, because nothing
    /// is recorded between two milliseconds. Leap seconds are refused: no clock here shows one.
    fn from_str(text: &str) -> Result<Self, TimestampError> {
        let text = text.strip_suffix('Z').ok_or(TimestampError)?;
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        // jiff also reads other spellings of ISO 8601, and reads a leap second as the second before it.
        let is_plain = matches!(
            whole.as_bytes(),
            [_, _, _, _, b'-', _, _, b'-', _, _, b'T', _, _, b':', _, _, b':', _, _]
        );
        let is_number = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
        if !is_plain || !is_number || whole.ends_with(":60") {
            return Err(TimestampError);
        }
        let at = format!("{whole}.{fraction:.3}").parse::<DateTime>().map_err(|_| TimestampError)?;
        i64::try_from(at.duration_since(EPOCH).as_millis()).map(Self).map_err(|_| TimestampError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_back() {
        let table = [
            (0, "1970-01-01T00:00:00.000Z"),
            (1_795_248_042_461, "2026-11-21T08:00:42.461Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (-86_399_999, "1969-12-31T00:00:00.001Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ];
        for (ms, text) in table {
            assert_eq!(Timestamp(ms).to_string(), text);
            assert_eq!(text.parse(), Ok(Timestamp(ms)), "{text}");
        }
    }

    #[test]
    fn fractions_are_cut_off_at_a_millisecond() {
        let table = [
            ("1970-01-01T00:00:00Z", 0),
            ("1970-01-01T00:00:00.5Z", 500),
            ("1970-01-01T00:00:00.0019Z", 1),
            ("1970-01-01T00:00:00.99999999999999999999Z", 999),
            ("1969-12-31T23:59:59.9999Z", -1),
        ];
        for (text, ms) in table {
            assert_eq!(text.parse(), Ok(Timestamp(ms)), "{text}");
        }
    }

    #[test]
    fn malformed_times_are_refused() {
        let texts = [
            "",
            "Z",
            "2026-01-01",
            "2026-01-01Z",
            "2026-01-01T12:00Z",
            "2026-01-01T12:00:00",
            "2026-01-01t12:00:00Z",
            "2026-01-01 12:00:00Z",
            "20260101T120000Z",
            "2026-02-29T12:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T12:60:00Z",
            "2026-01-01T12:00:60Z",
            "2026-01-01T12:00:61Z",
            "2026-01-01T12:00:00.Z",
            "2026-01-01T12:00:00.xZ",
            "2026-01-01T12:00:00,5Z",
            "2026-01-01T12:00:00.5.5Z",
            "2026-01-01T12:00:00+01:00",
            "2026-01-01T12:00:00z",
            "-002026-01-01T12:00:00Z",
            "2026-01-01T12:00:٠Z",
        ];
        for text in texts {
            assert_eq!(text.parse::<Timestamp>(), Err(TimestampError), "{text}");
        }
    }

    #[test]
    fn extreme_times_have_a_text() {
        let texts = [i64::MIN, i64::MAX].map(|ms| Timestamp(ms).to_string());
        assert_eq!(texts, ["-009999-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"]);
    }
}
