//! Targets 1, 3, 4, 9 and 10: creation of transactions through HTTP, in closed loops and an open one.

use std::time::Duration;

use crate::error::Error;
use crate::figures::{Sample, count, ms, percentile};
use crate::load::{Ask, Load, Pace};
use crate::stage::running::{Measured, Running};

/// Required ratio of target 1 to B1.
pub(crate) const MIN_RATIO: f64 = 1.6;

/// Number of connections of a busy platform, and of a quiet one.
pub(crate) const MANY_CLIENTS: usize = 256;
pub(crate) const FEW_CLIENTS: usize = 64;
/// Number of connections that send batches, and number of transactions in a batch.
const BATCHES: usize = 16;
const BATCH_SIZE: usize = 100;

/// Rate of the open loop, as a share of the rate of a closed loop.
const OPEN_LOOP_SHARE: f64 = 0.7;

/// Duration of the load that fills caches and is not measured.
const WARM_UP: Duration = Duration::from_secs(2);

/// Warms up a new server.
pub(crate) async fn warm_up(running: &Running<'_>, duration: Duration) -> Result<(), Error> {
    closed(running, MANY_CLIENTS, Ask::Pay, duration.min(WARM_UP)).await.map(drop)
}

/// Measures a closed loop: each connection sends its next request after the answer.
pub(crate) async fn closed(
    running: &Running<'_>,
    connections: usize,
    ask: Ask,
    duration: Duration,
) -> Result<Measured, Error> {
    running.measure(Load::new(connections, ask, Pace::Closed(duration))).await
}

/// Measures target 1 or 10. Returns also the lag of the read models.
pub(crate) async fn random(running: &Running<'_>, duration: Duration) -> Result<(Sample, Measured), Error> {
    let measured = closed(running, MANY_CLIENTS, Ask::Pay, duration).await?;
    let sample = measured
        .sample()
        .also("events per second", measured.events_per_second())
        .also("read models behind, events", count(measured.lag))
        .also("caught up after ms", ms(measured.drained_in));
    Ok((sample, measured))
}

/// Measures target 4.
pub(crate) async fn hot(running: &Running<'_>, duration: Duration) -> Result<Sample, Error> {
    Ok(closed(running, MANY_CLIENTS, Ask::PayHot, duration).await?.sample())
}

/// Measures target 9.
pub(crate) async fn batches(running: &Running<'_>, duration: Duration) -> Result<Sample, Error> {
    Ok(closed(running, BATCHES, Ask::PayMany(BATCH_SIZE), duration).await?.sample())
}

/// Measures target 3: the rate of a closed loop, and then the 99th percentile of latencies at a share of that rate,
/// counted from the due time of each request.
pub(crate) async fn open_loop(running: &Running<'_>, duration: Duration, seed: u64) -> Result<Sample, Error> {
    let reached = closed(running, FEW_CLIENTS, Ask::Pay, duration).await?;
    let offered = OPEN_LOOP_SHARE * reached.rate();
    let measured = running.measure(Load::open(FEW_CLIENTS, Ask::Pay, offered, duration, seed)).await?;
    let p99 = |measured: &Measured| ms(percentile(&measured.outcome.latencies, 990));
    Ok(Sample::of(p99(&measured))
        .latencies(&measured.outcome.latencies)
        .cores(measured.cores)
        .also("closed loop per second", reached.rate())
        .also("its p99 ms", p99(&reached))
        .also("offered per second", offered)
        .also("reached per second", measured.rate()))
}
