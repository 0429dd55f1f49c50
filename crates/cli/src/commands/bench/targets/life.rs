//! Target 2: the whole life of transactions. So many are on their way, and for each that has settled another is created:
//! what is created and what settles is as much, for as long as one likes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use daybook_domain::Event;
use daybook_engine::SHARD;
use daybook_pg::Pg;
use tokio::sync::Semaphore;
use tokio::time::{MissedTickBehavior, interval};

use super::super::figures::{Sample, count};
use super::super::load::client::failed;
use super::super::load::{Ask, Load, Pace};
use super::super::stage::running::Running;
use super::create::MANY;
use crate::commands::Error;

/// From creation to settlement, if nothing has to wait.
pub(crate) const SETTLE_AFTER: Duration = Duration::from_secs(1);
/// How many are on their way: more than settle in that time at twice the aim.
pub(crate) const UNDER_WAY: usize = 1 << 14;
/// How often what has settled is counted.
const LOOK: Duration = Duration::from_millis(100);
/// Until what is created and what settles is as much.
const WARM_UP: Duration = Duration::from_secs(4);

/// What had happened at a moment.
#[derive(Clone, Copy, Debug)]
struct Seen {
    at: Instant,
    created: u64,
    settled: u64,
}

/// Measures on a server whose transactions take [`SETTLE_AFTER`].
pub(crate) async fn measure(running: &Running<'_>, duration: Duration) -> Result<Sample, Error> {
    let room = Arc::new(Semaphore::new(UNDER_WAY));
    let load = Load::new(MANY, Ask::Pay, Pace::Room(WARM_UP + duration, Arc::clone(&room)));
    let mut counter = Counter::new(running, room).await?;
    let begun = Instant::now();
    let measured = tokio::select! {
        measured = running.measure(load) => measured?,
        broken = counter.follow() => return Err(broken),
    };
    let (from, to) = (begun + WARM_UP, begun + WARM_UP + duration);
    let (first, last) =
        counter.between(from, to).ok_or_else(|| failed("nobody looked at what has settled"))?;
    let seconds = (last.at - first.at).as_secs_f64();
    Ok(Sample::of(count(last.settled - first.settled) / seconds)
        .latencies(&measured.outcome.latencies)
        .cores(measured.cores)
        .also("created per second meanwhile", count(last.created - first.created) / seconds)
        .also("on their way at the end", count(last.created.saturating_sub(last.settled)))
        .also("events per second", measured.events_per_second())
        .also("read models behind at the end, events", count(measured.lag)))
}

/// Counts in the log what was created and has settled, and makes room for as much.
struct Counter {
    pg: Pg,
    room: Arc<Semaphore>,
    /// What follows in the log is not counted yet.
    position: i64,
    /// Types of events.
    created: i16,
    settled: i16,
    seen: Vec<Seen>,
}

impl Counter {
    async fn new(running: &Running<'_>, room: Arc<Semaphore>) -> Result<Self, Error> {
        let position = i64::try_from(running.head().await?).map_err(failed)?;
        let (created, settled) = (type_of("transaction.created")?, type_of("transaction.settled")?);
        Ok(Self { pg: running.pg.clone(), room, position, created, settled, seen: vec![] })
    }

    /// Never ends by itself but for an error.
    async fn follow(&mut self) -> Error {
        let mut looks = interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            looks.tick().await;
            if let Err(error) = self.look().await {
                return error;
            }
        }
    }

    async fn look(&mut self) -> Result<(), Error> {
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("life.sql")).await.map_err(failed)?;
        let row = client
            .query_one(&statement, &[&SHARD, &self.position, &self.created, &self.settled])
            .await
            .map_err(failed)?;
        let number = |name| u64::try_from(row.get::<_, i64>(name)).map_err(failed);
        let (created, settled) = (number("created")?, number("settled")?);
        self.position = row.get("position");
        self.room.add_permits(usize::try_from(settled).map_err(failed)?);
        let before = self.seen.last().map_or((0, 0), |seen| (seen.created, seen.settled));
        self.seen.push(Seen { at: Instant::now(), created: before.0 + created, settled: before.1 + settled });
        Ok(())
    }

    /// What was seen first and last in a time; they are not the same.
    fn between(&self, from: Instant, to: Instant) -> Option<(Seen, Seen)> {
        let mut within = self.seen.iter().copied().filter(|seen| (from..=to).contains(&seen.at));
        Some((within.next()?, within.next_back()?))
    }
}

fn type_of(name: &str) -> Result<i16, Error> {
    let found = Event::schemas().find(|(_, found)| *found == name);
    found.map(|(schema, _)| schema.event_type).ok_or_else(|| failed(format!("there is no event {name}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_events_that_are_counted_exist() {
        assert!(type_of("transaction.created").is_ok() && type_of("transaction.settled").is_ok());
        assert!(type_of("transaction.lost").is_err());
    }
}
