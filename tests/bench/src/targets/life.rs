//! Target 2: the whole life of transactions. So many are on their way, and for each that has settled another is created:
//! what is created and what settles is as much, for as long as one likes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use daybook_domain::Event;
use daybook_engine::SHARD;
use daybook_pg::Pg;
use tokio::sync::Semaphore;
use tokio::time::{MissedTickBehavior, interval};

use super::create::MANY;
use crate::error::Error;
use crate::figures::{Sample, count};
use crate::load::client::failed;
use crate::load::{Ask, Load, Pace};
use crate::stage::running::Running;

/// From creation to settlement, if nothing has to wait.
pub(crate) const SETTLE_AFTER: Duration = Duration::from_secs(1);
/// How many are on their way: more than settle in that time at twice the aim.
pub(crate) const UNDER_WAY: usize = 1 << 14;
/// How often what has settled is counted.
const LOOK: Duration = Duration::from_millis(100);
/// Until what is created and what settles is as much: at least so long, at most so long.
const WARM_UP: [Duration; 2] = [Duration::from_secs(3), Duration::from_secs(15)];
/// It is as much if not more are on their way than so many looks ago, but for a fiftieth.
const LOOKS_AGO: usize = 20;

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
    let load = Load::new(MANY, Ask::Pay, Pace::Room(Arc::clone(&room)));
    let mut counter = Counter::new(running, room).await?;
    let (measured, window) = tokio::join!(running.measure(load), counter.follow(duration));
    let ((first, last), measured) = (window?, measured?);
    let seconds = (last.at - first.at).as_secs_f64();
    Ok(Sample::of(count(last.settled - first.settled) / seconds)
        .latencies(&measured.outcome.latencies)
        .cores(measured.cores)
        .also("created per second meanwhile", count(last.created - first.created) / seconds)
        .also("on their way at the end", count(last.under_way()))
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

    /// Follows until as much settles as is created, and then for `duration`; answers what was seen first and last of that.
    /// Nothing is created any more after it.
    async fn follow(&mut self, duration: Duration) -> Result<(Seen, Seen), Error> {
        let followed = self.window(duration).await;
        self.room.close();
        followed
    }

    async fn window(&mut self, duration: Duration) -> Result<(Seen, Seen), Error> {
        let mut looks = interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (begun, mut first) = (Instant::now(), None::<Seen>);
        loop {
            looks.tick().await;
            self.look().await?;
            match (first, self.seen.last().copied()) {
                (None, Some(now)) if is_steady(&self.seen, begun.elapsed()) => first = Some(now),
                (Some(first), Some(now)) if now.at.duration_since(first.at) >= duration => {
                    return Ok((first, now));
                }
                _ => {}
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
}

impl Seen {
    fn under_way(self) -> u64 {
        self.created.saturating_sub(self.settled)
    }
}

/// Whether as much settles as is created: there is no room for more, or no more are on their way than a while ago.
fn is_steady(seen: &[Seen], elapsed: Duration) -> bool {
    let (Some(now), Some(before)) = (seen.last(), seen.iter().nth_back(LOOKS_AGO)) else { return false };
    let (now, before) = (now.under_way(), before.under_way());
    let is_level = now <= before + before / 50 || now + MANY as u64 >= UNDER_WAY as u64;
    elapsed >= WARM_UP[1] || (elapsed >= WARM_UP[0] && is_level)
}

fn type_of(name: &str) -> Result<i16, Error> {
    let found = Event::schemas().find(|(_, found)| *found == name);
    found.map(|(schema, _)| schema.event_type).ok_or_else(|| failed(format!("there is no event {name}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_steady_when_no_more_are_on_their_way_or_there_is_no_room_or_it_takes_too_long() {
        let seen = |under_way: fn(u64) -> u64| -> Vec<Seen> {
            let at = Instant::now();
            (0..30).map(|look| Seen { at, created: 100_000 + under_way(look), settled: 100_000 }).collect()
        };
        let (growing, level, full) = (seen(|look| 300 * look), seen(|_| 5000), seen(|look| 16_100 + look));
        let [early, later, late] = [2, 4, 16].map(Duration::from_secs);
        assert!(!is_steady(&level, early) && is_steady(&level, later) && is_steady(&full, later));
        assert!(!is_steady(&growing, later) && is_steady(&growing, late) && !is_steady(&growing[..3], late));
    }

    #[test]
    fn the_events_that_are_counted_exist() {
        assert!(type_of("transaction.created").is_ok() && type_of("transaction.settled").is_ok());
        assert!(type_of("transaction.lost").is_err());
    }
}
