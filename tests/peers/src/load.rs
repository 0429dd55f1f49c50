//! A closed loop: each caller waits for an answer before its next call.

use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::Error;

/// Duration of the warm-up, in which connections, prepared statements and caches are filled. It is not measured.
const WARM_UP: Duration = Duration::from_secs(1);

/// A caller.
pub(crate) trait Caller: Send + 'static {
    /// Number of transfers or events in one call.
    const WORK: u32;

    /// Makes one call, and returns when PostgreSQL has committed it.
    fn call(&mut self) -> impl Future<Output = Result<(), Error>> + Send;
}

/// Result of a load.
#[derive(Debug)]
pub(crate) struct Measured {
    /// Acknowledged work, including that outside of the measured time.
    pub(crate) acknowledged: u64,
    /// Acknowledged work per second in the measured time.
    pub(crate) per_second: f64,
    /// Latencies of all measured calls, in ascending order.
    latencies: Vec<Duration>,
}

impl Measured {
    /// Creates a result from the latencies of measured calls; `work` is the work in `duration`.
    pub(crate) fn new(
        acknowledged: u64,
        work: usize,
        duration: Duration,
        mut latencies: Vec<Duration>,
    ) -> Result<Self, Error> {
        latencies.sort_unstable();
        let per_second = f64::from(u32::try_from(work)?) / duration.as_secs_f64();
        Ok(Self { acknowledged, per_second, latencies })
    }

    /// Returns the latency that `percent` of all calls did not exceed, in milliseconds.
    pub(crate) fn quantile_ms(&self, percent: usize) -> f64 {
        let rank = (self.latencies.len() * percent).div_ceil(100).max(1);
        self.latencies.get(rank - 1).map_or(0.0, |latency| latency.as_secs_f64() * 1e3)
    }
}

/// Runs all callers concurrently. The first error ends the load, because failed calls have no valid figure.
pub(crate) async fn run<C: Caller>(callers: Vec<C>, duration: Duration) -> Result<Measured, Error> {
    let begin = Instant::now() + WARM_UP;
    let mut tasks: JoinSet<_> =
        callers.into_iter().map(|caller| call_until(caller, begin, begin + duration)).collect();
    let (mut calls, mut latencies) = (0, Vec::new());
    while let Some(ended) = tasks.join_next().await {
        let (made, measured) = ended??;
        calls += made;
        latencies.extend(measured);
    }
    if latencies.is_empty() {
        return Err("no call was answered in the measured time".into());
    }
    let work = latencies.len() * usize::try_from(C::WORK)?;
    Measured::new(calls * u64::from(C::WORK), work, duration, latencies)
}

/// Returns the number of all answered calls, and the latencies of those that were answered between `begin` and `end`.
async fn call_until<C: Caller>(
    mut caller: C,
    begin: Instant,
    end: Instant,
) -> Result<(u64, Vec<Duration>), Error> {
    let (mut calls, mut latencies) = (0, Vec::new());
    loop {
        let asked = Instant::now();
        if asked >= end {
            return Ok((calls, latencies));
        }
        caller.call().await?;
        calls += 1;
        let answered = Instant::now();
        if answered >= begin && answered < end {
            latencies.push(answered - asked);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantile_covers_given_share_of_calls() {
        let latencies = (1..=200).rev().map(Duration::from_millis).collect();
        let measured = Measured::new(250, 200, Duration::from_secs(4), latencies).unwrap();
        let close = |left: f64, right: f64| (left - right).abs() < 1e-9;
        assert!(close(measured.per_second, 50.0));
        assert!(close(measured.quantile_ms(50), 100.0));
        assert!(close(measured.quantile_ms(99), 198.0));
    }
}
