//! Retry schedule of failed deliveries.

use daybook_domain::Timestamp;

/// Milliseconds per second.
const SECOND_MS: i64 = 1_000;

/// Delays before each attempt after the first: three days in total.
const RETRY_DELAYS_MS: [i64; 9] = [
    5 * SECOND_MS,
    5 * 60 * SECOND_MS,
    30 * 60 * SECOND_MS,
    2 * 3_600 * SECOND_MS,
    5 * 3_600 * SECOND_MS,
    10 * 3_600 * SECOND_MS,
    14 * 3_600 * SECOND_MS,
    20 * 3_600 * SECOND_MS,
    24 * 3_600 * SECOND_MS,
];

/// Returns the time of the next attempt after `attempts` failed ones, or none after the last one. `chance` adds jitter
/// of up to a tenth of the delay, so that receivers that failed together are not called together.
pub(super) fn next(attempts: i16, now: Timestamp, chance: u8) -> Option<Timestamp> {
    let done = usize::try_from(attempts).ok()?;
    let wait = RETRY_DELAYS_MS.get(done.checked_sub(1)?)?;
    let more = wait / 10 * i64::from(chance) / 255;
    Some(Timestamp::from_ms(now.ms().saturating_add(wait + more)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_attempts_take_three_days() {
        let mut now = Timestamp::from_ms(0);
        let mut attempts = 1;
        while let Some(later) = next(attempts, now, 0) {
            assert!(later > now);
            (now, attempts) = (later, attempts + 1);
        }
        assert_eq!(attempts, 10);
        assert_eq!(now.ms() / 3_600_000, 75);
        assert_eq!(next(0, now, 0), None);
    }

    #[test]
    fn jitter_adds_at_most_a_tenth() {
        let at = |chance| next(2, Timestamp::from_ms(0), chance).map(|at| at.ms() / SECOND_MS);
        assert_eq!((at(0), at(255)), (Some(300), Some(330)));
    }
}
