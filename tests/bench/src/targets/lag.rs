//! Target 11: time from an acknowledgement until the read models contain the change.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use daybook_engine::SHARD;
use daybook_projector::Reads;
use tokio::time::{MissedTickBehavior, interval};

use super::create::MANY_CLIENTS;
use crate::error::Error;
use crate::figures::{Sample, count, ms, percentile};
use crate::load::client::failed;
use crate::load::{Ask, Load};
use crate::stage::running::Running;

/// Interval at which the newest acknowledged position is recorded (first constant), and interval of reads of the
/// cursor.
const NOTE_INTERVAL: Duration = Duration::from_millis(10);
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Creates `offered` transactions per second in an open loop, and follows the cursor.
pub(crate) async fn measure(
    running: &Running<'_>,
    offered: f64,
    duration: Duration,
    seed: u64,
) -> Result<Sample, Error> {
    let load = Load::open(MANY_CLIENTS, Ask::Pay, offered, duration, seed);
    let mut follower = Follower::new(running.reads.clone(), Arc::clone(&load.acknowledged));
    let measured = tokio::select! {
        measured = running.measure(load) => measured?,
        broken = follower.follow() => return Err(broken),
    };
    let mut lags = follower.lags;
    lags.sort_unstable();
    let p99 = ms(percentile(&lags, 990));
    Ok(Sample::of(p99)
        .latencies(&lags)
        .cores(measured.cores)
        .also("longest ms", ms(percentile(&lags, 1000)))
        .also("looks", count(lags.len() as u64))
        .also("offered per second", offered)
        .also("reached per second", measured.rate())
        .also("p99 of creating, ms", ms(percentile(&measured.outcome.latencies, 990))))
}

/// Records positions, and the time until the cursor reaches them.
struct Follower {
    reads: Reads,
    acknowledged: Arc<AtomicU64>,
    /// Positions that the cursor has not reached yet, with the times of their recording.
    noted: VecDeque<(u64, Instant)>,
    lags: Vec<Duration>,
}

impl Follower {
    fn new(reads: Reads, acknowledged: Arc<AtomicU64>) -> Self {
        Self { reads, acknowledged, noted: VecDeque::new(), lags: vec![] }
    }

    /// Follows the cursor for ever. Returns on an error only.
    async fn follow(&mut self) -> Error {
        let mut looks = interval(POLL_INTERVAL);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut newest, mut noted_at) = (0, Instant::now());
        loop {
            looks.tick().await;
            let acknowledged = self.acknowledged.load(Ordering::Relaxed);
            // Each position counts once: repetitions of the newest one without load would only improve the figure.
            if acknowledged > newest && noted_at.elapsed() >= NOTE_INTERVAL {
                (newest, noted_at) = (acknowledged, Instant::now());
                self.noted.push_back((newest, noted_at));
            }
            match self.reads.store().position(SHARD).await {
                Ok(cursor) => passed(&mut self.noted, cursor, Instant::now(), &mut self.lags),
                Err(error) => return failed(error),
            }
        }
    }
}

/// Takes the positions up to `cursor`, which was read at `now`, and adds their lags.
fn passed(noted: &mut VecDeque<(u64, Instant)>, cursor: u64, now: Instant, lags: &mut Vec<Duration>) {
    while let Some((_, at)) = noted.pop_front_if(|(position, _)| *position <= cursor) {
        lags.push(now - at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passed_positions_are_counted_once() {
        let now = Instant::now();
        let mut noted = VecDeque::from([(10, now), (20, now), (30, now)]);
        let mut lags = vec![];
        let later = now + Duration::from_millis(7);
        passed(&mut noted, 20, later, &mut lags);
        assert_eq!((lags, noted.len()), (vec![Duration::from_millis(7); 2], 1));
    }
}
