//! Targets 1, 3, 4, 9 and 10: transactions that are created through HTTP, by closed loops and an open one.

use std::time::Duration;

use crate::error::Error;
use crate::figures::{Sample, count, ms, percentile};
use crate::load::{Ask, Load, Pace};
use crate::stage::running::{Measured, Running};

/// What target 1 must be of B1.
pub(crate) const MUST: f64 = 1.6;

/// As many as a busy platform has, and as many as a quiet one.
pub(crate) const MANY: usize = 256;
pub(crate) const FEW: usize = 64;
/// Connections that send whole batches, and how many transactions each batch has.
const BATCHES: usize = 16;
const BATCH: usize = 100;

/// The share of what a closed loop reaches that an open loop asks for.
const SHARE: f64 = 0.7;

/// Fills caches, and is not measured.
const WARM_UP: Duration = Duration::from_secs(2);

/// Has a new server come to speed.
pub(crate) async fn warm_up(running: &Running<'_>, duration: Duration) -> Result<(), Error> {
    closed(running, MANY, Ask::Pay, duration.min(WARM_UP)).await.map(drop)
}

/// Transactions per second of so many connections, each of which asks again as soon as it was answered.
pub(crate) async fn closed(
    running: &Running<'_>,
    connections: usize,
    ask: Ask,
    duration: Duration,
) -> Result<Measured, Error> {
    running.measure(Load::new(connections, ask, Pace::Closed(duration))).await
}

/// Target 1 or 10, and what it left to be done.
pub(crate) async fn random(running: &Running<'_>, duration: Duration) -> Result<(Sample, Measured), Error> {
    let measured = closed(running, MANY, Ask::Pay, duration).await?;
    let sample = measured
        .sample()
        .also("events per second", measured.events_per_second())
        .also("read models behind, events", count(measured.lag))
        .also("caught up after ms", ms(measured.drained_in));
    Ok((sample, measured))
}

/// Target 4.
pub(crate) async fn hot(running: &Running<'_>, duration: Duration) -> Result<Sample, Error> {
    Ok(closed(running, MANY, Ask::PayHot, duration).await?.sample())
}

/// Target 9.
pub(crate) async fn batches(running: &Running<'_>, duration: Duration) -> Result<Sample, Error> {
    Ok(closed(running, BATCHES, Ask::PayMany(BATCH), duration).await?.sample())
}

/// Target 3: what a closed loop reaches, and then the 99th percentile at a share of that, counted from when each request
/// was due.
pub(crate) async fn open_loop(running: &Running<'_>, duration: Duration, seed: u64) -> Result<Sample, Error> {
    let reached = closed(running, FEW, Ask::Pay, duration).await?;
    let offered = SHARE * reached.rate();
    let measured = running.measure(Load::open(FEW, Ask::Pay, offered, duration, seed)).await?;
    let p99 = |measured: &Measured| ms(percentile(&measured.outcome.latencies, 990));
    Ok(Sample::of(p99(&measured))
        .latencies(&measured.outcome.latencies)
        .cores(measured.cores)
        .also("closed loop per second", reached.rate())
        .also("its p99 ms", p99(&reached))
        .also("offered per second", offered)
        .also("reached per second", measured.rate()))
}
