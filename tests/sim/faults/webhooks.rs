//! The protocol of webhooks on lanes in memory: a cursor adds events to lanes, a process takes lanes for a while and
//! gives them back, and a receiver gets every event of a record at least once and in order. `tests/webhooks` and
//! `tests/torture` test the tables in PostgreSQL.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use daybook_domain::subscription::Notice;
use daybook_engine::SHARD;
use daybook_log::{Log, StreamId};
use daybook_projector::RecordedEvent;
use tokio::time::{Instant, sleep, timeout};

use super::World;
use super::chance::Fault;
use super::problem::Problem;

/// Time for which a lane belongs to the process that took it.
const LEASE_DURATION: Duration = Duration::from_mins(1);
/// Pause of a lane after a failed call, or while something is unavailable.
const RETRY_AFTER: Duration = Duration::from_secs(5);
/// Maximum pause without due lanes.
const IDLE_INTERVAL: Duration = Duration::from_mins(2);
/// Maximum number of lanes that a process takes at once.
const MAX_LANES: usize = 8;

/// Pending events of a record.
#[derive(Clone, Copy, Debug)]
struct Lane {
    version: u32,
    last: u32,
    due: Instant,
}

#[derive(Default)]
struct Stored {
    cursor: u64,
    lanes: BTreeMap<StreamId, Lane>,
    /// Newest version of each record that the receiver has got.
    taken: HashMap<StreamId, u32>,
}

/// Lanes of one subscription, and its receiver.
#[derive(Default)]
pub(crate) struct Lanes(Mutex<Stored>);

impl Lanes {
    fn stored(&self) -> MutexGuard<'_, Stored> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes due lanes. They belong to the caller for a while.
    fn take(&self, room: usize) -> Vec<(StreamId, Lane)> {
        let now = Instant::now();
        let mut stored = self.stored();
        let due = stored.lanes.iter_mut().filter(|(_, lane)| lane.due <= now).take(room);
        let take = |(record, lane): (&StreamId, &mut Lane)| {
            lane.due = now + LEASE_DURATION;
            (*record, *lane)
        };
        due.map(take).collect()
    }

    /// Gives a lane back, unless it was reset or another process continued with it. Returns true if it still belonged
    /// to the caller.
    fn put(&self, record: StreamId, taken: Lane, version: u32, due: Instant) -> bool {
        let mut stored = self.stored();
        let Some(lane) = stored.lanes.get_mut(&record).filter(|lane| lane.version == taken.version) else {
            return false;
        };
        (lane.version, lane.due) = (version, due);
        if lane.version > lane.last {
            stored.lanes.remove(&record);
        }
        true
    }
}

/// Adds events to lanes and delivers them until the run ends.
pub(super) async fn run(world: Arc<World>, process: usize) {
    while world.failure().is_none() {
        let seen = world.rows.changes.seen();
        match round(&world, &*world.processes[process].log()).await {
            Ok(true) => sleep(world.chance.up_to(20)).await,
            Ok(false) => {
                let _ = timeout(rest(&world), world.rows.changes.changed(seen)).await;
            }
            Err(Problem::Passing) => sleep(Duration::from_millis(200)).await,
            Err(Problem::Wrong(what)) => world.fail(what),
        }
    }
}

/// Returns the time until the next lane is due.
fn rest(world: &World) -> Duration {
    let now = Instant::now();
    let soonest = world.lanes.stored().lanes.values().map(|lane| lane.due).min();
    soonest.map_or(Duration::from_hours(6), |due| (due - now).min(IDLE_INTERVAL) + Duration::from_millis(1))
}

async fn round(world: &World, log: &dyn Log) -> Result<bool, Problem> {
    let is_behind = fan_out(world, log).await?;
    let lanes = world.lanes.take(MAX_LANES);
    let is_busy = !lanes.is_empty();
    let calls = lanes.into_iter().map(|(record, lane)| work_on(world, log, record, lane));
    for called in futures::future::join_all(calls).await {
        match called {
            Err(Problem::Wrong(what)) => return Err(Problem::Wrong(what)),
            // Any process may take the lane after a while.
            Err(Problem::Passing) | Ok(()) => {}
        }
    }
    Ok(is_behind || is_busy)
}

/// Adds the next events to lanes, in one transaction with the cursor. Returns true if there are more.
async fn fan_out(world: &World, log: &dyn Log) -> Result<bool, Problem> {
    let projected = world.rows.read().0;
    let after = world.lanes.stored().cursor;
    let far = after + 1 + world.chance.below(30) as u64;
    let mut end = log.boundary(SHARD, far.min(projected)).await?;
    if end.position <= after {
        end = log.boundary(SHARD, projected).await?;
    }
    if end.position <= after {
        return Ok(false);
    }
    let mut added: BTreeMap<StreamId, (u32, u32)> = BTreeMap::new();
    for recorded in log.read(SHARD, after, end.position).await? {
        let happened =
            RecordedEvent::decode(&recorded).map_err(|error| Problem::Wrong(format!("{error:?}")))?;
        if Notice::of(&happened.event).is_some() {
            let stream = recorded.event.stream;
            added.entry(stream).or_insert((happened.version, happened.version)).1 = happened.version;
        }
    }
    if world.chance.strikes(Fault::LanesLost) {
        return Err(Problem::Passing);
    }
    let mut stored = world.lanes.stored();
    // The cursor has changed: another process has added the events.
    if stored.cursor != after {
        return Ok(true);
    }
    stored.cursor = end.position;
    for (record, (version, last)) in added {
        let due = Instant::now();
        let lane = stored.lanes.entry(record).or_insert(Lane { version, last, due });
        (lane.version, lane.last) = (lane.version.min(version), lane.last.max(last));
    }
    drop(stored);
    let is_unknown = world.chance.strikes(Fault::LanesUnknown);
    if is_unknown { Err(Problem::Passing) } else { Ok(end.position < projected) }
}

/// Delivers the next event of a lane.
async fn work_on(world: &World, log: &dyn Log, record: StreamId, lane: Lane) -> Result<(), Problem> {
    if world.chance.strikes(Fault::CallerSleeps) {
        sleep(LEASE_DURATION + world.chance.up_to(60_000)).await;
    }
    let (mut version, mut due) = (lane.version, Instant::now());
    while version <= lane.last {
        let Some(next) = log.stream_page(SHARD, record, version - 1, 1).await?.pop() else { break };
        let happened = RecordedEvent::decode(&next).map_err(|error| Problem::Wrong(format!("{error:?}")))?;
        if Notice::of(&happened.event).is_none() {
            version += 1;
            continue;
        }
        let is_taken = call(world, record, version).await?;
        (version, due) =
            if is_taken { (version + 1, Instant::now()) } else { (version, Instant::now() + RETRY_AFTER) };
        break;
    }
    if !world.lanes.put(record, lane, version, due) {
        world.chance.met("a lane was given back too late");
    }
    Ok(())
}

/// Calls the receiver. Returns true if the receiver accepted the event, as far as the caller knows.
async fn call(world: &World, record: StreamId, version: u32) -> Result<bool, Problem> {
    sleep(world.chance.up_to(50)).await;
    if world.chance.strikes(Fault::CallRefused) {
        return Ok(false);
    }
    received(world, record, version)?;
    sleep(world.chance.up_to(50)).await;
    Ok(!world.chance.strikes(Fault::CallUnknown))
}

/// Checks that the receiver gets the events of a record in order. Known events may come again.
fn received(world: &World, record: StreamId, version: u32) -> Result<(), Problem> {
    world.chance.trace(&(record, version));
    let before = world.lanes.stored().taken.get(&record).copied().unwrap_or_default();
    if version <= before {
        world.chance.met("an event was told twice");
        return Ok(());
    }
    let skipped = world.witness().notices(record, before, version);
    if skipped > 0 {
        let what =
            format!("{record} in version {version} is delivered before {skipped} earlier events of it");
        return Err(Problem::Wrong(what));
    }
    world.lanes.stored().taken.insert(record, version);
    Ok(())
}

/// Checks, after all faults, that every event was delivered.
pub(super) async fn end(world: &Arc<World>) -> Result<(), String> {
    let log = world.processes[0].log();
    loop {
        match round(world, &*log).await {
            Ok(true) => {}
            Ok(false) if world.lanes.stored().lanes.is_empty() => break,
            Ok(false) => sleep(rest(world)).await,
            Err(problem) => return Err(format!("a delivery fails without faults: {problem:?}")),
        }
    }
    let witness = world.witness();
    let taken = world.lanes.stored();
    let told = |record: &StreamId| taken.taken.get(record).copied().unwrap_or_default();
    let untold = witness.records().find(|record| witness.notices(*record, told(record), u32::MAX) > 0);
    untold.map_or(Ok(()), |record| Err(format!("not every event of {record} was delivered")))
}
