//! Rate limit as a count per period: the leaky bucket by virtual scheduling (ITU-T I.371). Its only state per caller is
//! one time, until which the limit is used up.

use std::str::FromStr;
use std::time::Duration;

/// Rate limit: a count per period, in one burst or spread over time. A count of zero means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateLimit {
    count: u32,
    period: Duration,
}

impl RateLimit {
    /// Makes a limit of `count` per `period`.
    #[must_use]
    pub const fn new(count: u32, period: Duration) -> Self {
        Self { count, period }
    }

    /// Returns true if there is no limit.
    #[must_use]
    pub const fn is_free(self) -> bool {
        self.count == 0
    }

    /// Returns the time that one call uses up.
    fn step(self) -> Duration {
        self.period / self.count.max(1)
    }

    /// Returns the time to wait at `now` for one more call, if the limit is used up until `used`.
    pub(super) fn wait(self, used: Duration, now: Duration) -> Duration {
        (used.max(now) + self.step()).saturating_sub(now + self.period)
    }

    /// Returns the time until which the limit is used up after one more call. Calls that were in flight when it was
    /// used up count too, but delay the caller by at most one further period.
    pub(super) fn use_up(self, used: Duration, now: Duration) -> Duration {
        (used.max(now) + self.step()).min(now + 2 * self.period)
    }
}

impl FromStr for RateLimit {
    type Err = String;

    /// Parses `100/s`, `60/m` or `1000/h`; `0` is no limit.
    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let count = text.parse().ok().filter(|count| digits && *count <= 1_000_000);
            count.ok_or_else(|| "a number up to 1000000 is expected, and s, m or h: 100/s, 60/m".to_owned())
        };
        let Some((count, unit)) = text.split_once('/') else {
            return if text == "0" {
                Ok(Self::default())
            } else {
                Err("a rate is expected: 100/s, 60/m, 1000/h; or 0 for no limit".into())
            };
        };
        let period = match unit {
            "s" => Duration::from_secs(1),
            "m" => Duration::from_mins(1),
            "h" => Duration::from_hours(1),
            _ => return Err("the unit must be s, m or h".into()),
        };
        Ok(Self::new(number(count)?, period))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn burst_is_followed_by_steady_rate() {
        let limit = RateLimit::new(60, 60 * SECOND);
        let (now, mut used) = (1000 * SECOND, Duration::ZERO);
        for _ in 0..60 {
            assert_eq!(limit.wait(used, now), Duration::ZERO);
            used = limit.use_up(used, now);
        }
        assert_eq!(limit.wait(used, now), SECOND);
        assert_eq!(limit.wait(used, now + SECOND), Duration::ZERO);
        let used = limit.use_up(used, now + SECOND);
        assert_eq!(limit.wait(used, now + SECOND), SECOND);
        assert_eq!(
            limit.wait(used, now + 100 * SECOND),
            Duration::ZERO,
            "a share that is not used is not kept"
        );
    }

    #[test]
    fn persistent_caller_waits_a_bounded_time() {
        let limit = RateLimit::new(10, 10 * SECOND);
        let used = (0..1000).fold(Duration::ZERO, |used, _| limit.use_up(used, SECOND));
        assert_eq!(limit.wait(used, SECOND), 11 * SECOND);
    }

    #[test]
    fn rate_has_one_spelling() {
        assert_eq!("100/s".parse(), Ok(RateLimit::new(100, SECOND)));
        assert_eq!("60/m".parse(), Ok(RateLimit::new(60, 60 * SECOND)));
        assert_eq!("1000000/h".parse(), Ok(RateLimit::new(1_000_000, 3600 * SECOND)));
        assert!(["0", "0/s"].iter().all(|text| text.parse::<RateLimit>().is_ok_and(RateLimit::is_free)));
        for text in ["", "100", "/s", "-1/s", "+1/s", "1.5/s", "1/d", "1000001/s", "1/s/s", " 1/s", "none"] {
            assert!(text.parse::<RateLimit>().is_err(), "{text}");
        }
    }
}
