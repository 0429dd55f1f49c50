//! Times at which requests are due. They are fixed before the first request, and do not depend on the speed of the
//! service.

use std::time::{Duration, Instant};

use daybook_random::Random;
use tokio::sync::Semaphore;

/// Shortest sleep between checks for due requests. A request may be noticed late by this much, and the delay counts.
const TICK: Duration = Duration::from_micros(100);

/// Times since the beginning, the earliest first.
pub(crate) struct Arrivals(Vec<Duration>);

impl Arrivals {
    /// Returns the arrivals in `duration` at `per_second` on average, each independent of the others (a Poisson
    /// process), as of independent customers.
    pub(crate) fn independent(per_second: f64, duration: Duration, mut random: Random) -> Self {
        let (mut moments, mut at_s) = (vec![], 0.0);
        loop {
            at_s -= (1.0 - random.share()).ln() / per_second;
            match Duration::try_from_secs_f64(at_s) {
                Ok(at) if at < duration => moments.push(at),
                Ok(_) | Err(_) => return Self(moments),
            }
        }
    }

    /// Returns the time of request number `index`; none if there are fewer.
    pub(crate) fn at(&self, index: usize) -> Option<Duration> {
        self.0.get(index).copied()
    }

    /// Adds a permit to `due` for each request at its time. Blocks its thread, because timers of a runtime have a
    /// resolution of milliseconds.
    pub(crate) fn ring(&self, begun: Instant, due: &Semaphore) {
        let mut rung = 0;
        while let Some(next) = self.at(rung) {
            let Some(pause) = next.checked_sub(begun.elapsed()).filter(|pause| !pause.is_zero()) else {
                let now = begun.elapsed();
                let reached = self.0.partition_point(|moment| *moment <= now);
                due.add_permits(reached - rung);
                rung = reached;
                continue;
            };
            std::thread::sleep(pause.max(TICK));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrivals(per_second: f64) -> Arrivals {
        Arrivals::independent(per_second, Duration::from_secs(10), Random::new(1))
    }

    #[test]
    fn arrivals_are_ordered_and_have_given_rate() {
        let moments = arrivals(1000.0).0;
        assert!((9_700..10_300).contains(&moments.len()), "{}", moments.len());
        assert!(moments.is_sorted() && moments.iter().all(|at| *at < Duration::from_secs(10)));
        // Independent arrivals: a share of 1 - 1/e of the gaps is below the mean.
        let short = moments.windows(2).filter(|pair| pair[1] < pair[0] + Duration::from_millis(1)).count();
        assert!((6_000..6_700).contains(&short), "{short}");
    }

    #[test]
    fn same_seed_gives_same_arrivals() {
        assert_eq!(arrivals(50.0).0, arrivals(50.0).0);
    }

    #[test]
    fn arrivals_are_released_once_when_due() {
        let arrivals = Arrivals((0..20).map(Duration::from_millis).collect());
        let (begun, due) = (Instant::now(), Semaphore::new(0));
        arrivals.ring(begun, &due);
        assert_eq!(due.available_permits(), 20);
        assert!(begun.elapsed() >= Duration::from_millis(19));
    }
}
