//! Target 2: complete lives of transactions. A fixed number is in progress, and for each settled transaction another
//! one is created: after a while creation and settlement have the same rate.

use std::sync::Arc;
use std::time::{Duration, Instant};

use daybook_domain::Event;
use daybook_engine::SHARD;
use daybook_pg::Pg;
use tokio::sync::Semaphore;
use tokio::time::{MissedTickBehavior, interval};

use super::create::MANY_CLIENTS;
use crate::error::Error;
use crate::figures::{Sample, count};
use crate::load::client::failed;
use crate::load::{Ask, Load, Pace};
use crate::stage::running::Running;

/// Time from creation to settlement, without any other wait.
pub(crate) const SETTLE_AFTER: Duration = Duration::from_secs(1);
/// Maximum number of transactions in progress: more than settle in this time at twice the aimed rate.
pub(crate) const MAX_IN_FLIGHT: usize = 1 << 14;
/// Interval of counts.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Minimum and maximum time until creation and settlement have the same rate.
const WARM_UP: [Duration; 2] = [Duration::from_secs(3), Duration::from_secs(15)];
/// Number of counts after which the transactions in progress are compared. The rates are the same if there are at most
/// two percent more than then.
const SAMPLES_COMPARED: usize = 20;

/// Counts at one time.
#[derive(Clone, Copy, Debug)]
struct Seen {
    at: Instant,
    created: u64,
    settled: u64,
}

/// Measures on a server whose transactions settle after [`SETTLE_AFTER`].
pub(crate) async fn measure(running: &Running<'_>, duration: Duration) -> Result<Sample, Error> {
    let room = Arc::new(Semaphore::new(MAX_IN_FLIGHT));
    let load = Load::new(MANY_CLIENTS, Ask::Pay, Pace::Room(Arc::clone(&room)));
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

/// Counts created and settled transactions in the log, and permits as many new ones as have settled.
struct Counter {
    pg: Pg,
    room: Arc<Semaphore>,
    /// Position up to which the log is counted.
    position: i64,
    /// Codes of the event types.
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

    /// Waits until the rates are the same, and then for `duration`. Returns the first and last counts of that time.
    /// Afterwards no transaction is created.
    async fn follow(&mut self, duration: Duration) -> Result<(Seen, Seen), Error> {
        let followed = self.window(duration).await;
        self.room.close();
        followed
    }

    async fn window(&mut self, duration: Duration) -> Result<(Seen, Seen), Error> {
        let mut looks = interval(POLL_INTERVAL);
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

/// Returns true if creation and settlement have the same rate: the limit of transactions in progress is reached, or
/// there are no more of them than a while ago.
fn is_steady(seen: &[Seen], elapsed: Duration) -> bool {
    let (Some(now), Some(before)) = (seen.last(), seen.iter().nth_back(SAMPLES_COMPARED)) else {
        return false;
    };
    let (now, before) = (now.under_way(), before.under_way());
    let is_level = now <= before + before / 50 || now + MANY_CLIENTS as u64 >= MAX_IN_FLIGHT as u64;
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
    fn level_full_or_late_load_is_steady() {
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
    fn counted_event_types_exist() {
        assert!(type_of("transaction.created").is_ok() && type_of("transaction.settled").is_ok());
        assert!(type_of("transaction.lost").is_err());
    }
}
