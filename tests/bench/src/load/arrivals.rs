//! Moments at which requests come, fixed before the first is sent: whether the service keeps up changes none of them.

use std::time::{Duration, Instant};

use daybook_random::Random;
use tokio::sync::Semaphore;

/// The shortest pause of whoever rings the bell: an arrival is noticed so much later, and that counts.
const GRAIN: Duration = Duration::from_micros(100);

/// Moments since a beginning, the earliest first.
pub(crate) struct Arrivals(Vec<Duration>);

impl Arrivals {
    /// As many as come in `duration` at `per_second` on average, each independent of the others (a Poisson process): as
    /// customers come who do not know of each other.
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

    /// When number `index` comes; none if there are fewer.
    pub(crate) fn at(&self, index: usize) -> Option<Duration> {
        self.0.get(index).copied()
    }

    /// Adds a permit to `due` as each moment comes. Blocks its thread: timers of a runtime count in milliseconds.
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
            std::thread::sleep(pause.max(GRAIN));
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
    fn they_come_in_order_and_as_often_as_they_should() {
        let moments = arrivals(1000.0).0;
        assert!((9_700..10_300).contains(&moments.len()), "{}", moments.len());
        assert!(moments.is_sorted() && moments.iter().all(|at| *at < Duration::from_secs(10)));
        // Independent ones: of the gaps a share of 1 - 1/e is below the mean.
        let short = moments.windows(2).filter(|pair| pair[1] < pair[0] + Duration::from_millis(1)).count();
        assert!((6_000..6_700).contains(&short), "{short}");
    }

    #[test]
    fn the_same_seed_gives_the_same_moments() {
        assert_eq!(arrivals(50.0).0, arrivals(50.0).0);
    }

    #[test]
    fn each_is_rung_once_and_none_before_it_is_due() {
        let arrivals = Arrivals((0..20).map(Duration::from_millis).collect());
        let (begun, due) = (Instant::now(), Semaphore::new(0));
        arrivals.ring(begun, &due);
        assert_eq!(due.available_permits(), 20);
        assert!(begun.elapsed() >= Duration::from_millis(19));
    }
}
