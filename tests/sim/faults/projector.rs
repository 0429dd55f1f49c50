//! The projector's protocol on rows in memory: it reads first, locks then, writes rows and cursor in one transaction,
//! and discards its memory after a failure. `tests/torture` tests the tables in PostgreSQL.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use daybook_engine::SHARD;
use daybook_log::{Head, Log};
use daybook_projector::RecordedEvent;
use tokio::time::{sleep, timeout};

use super::World;
use super::chance::Fault;
use super::problem::Problem;
use super::signal::Signal;
use crate::ledger::Told;

/// Wait of an idle runner before it checks for commits of other processes.
const IDLE_INTERVAL: Duration = Duration::from_hours(1);

/// Committed state: rows and cursor.
#[derive(Default)]
struct Stored {
    cursor: u64,
    told: Arc<Told>,
}

/// The read models.
#[derive(Default)]
pub(crate) struct Rows {
    stored: Mutex<Stored>,
    /// Rings when the rows change.
    pub(super) changes: Signal,
}

/// A database transaction: its changes are invisible until it is committed.
struct Transaction<'a> {
    rows: &'a Rows,
    written: Option<Arc<Told>>,
    cursor: Option<u64>,
}

impl Rows {
    fn stored(&self) -> MutexGuard<'_, Stored> {
        self.stored.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns cursor and rows as of one moment.
    pub(crate) fn read(&self) -> (u64, Arc<Told>) {
        let stored = self.stored();
        (stored.cursor, stored.told.clone())
    }

    fn begin(&self) -> Transaction<'_> {
        Transaction { rows: self, written: None, cursor: None }
    }
}

impl Transaction<'_> {
    fn write(&mut self, told: Arc<Told>) {
        self.written = Some(told);
    }

    fn advance(&mut self, cursor: u64) {
        self.cursor = Some(cursor);
    }

    fn commit(self) -> Result<(), Problem> {
        let mut stored = self.rows.stored();
        if self.cursor.is_some_and(|cursor| cursor < stored.cursor) {
            return Err(Problem::Wrong(format!("the cursor goes back from {}", stored.cursor)));
        }
        stored.told = self.written.unwrap_or_else(|| stored.told.clone());
        stored.cursor = self.cursor.unwrap_or(stored.cursor);
        self.rows.changes.ring();
        Ok(())
    }
}

/// Fills the rows until the run ends.
pub(super) async fn run(world: Arc<World>, process: usize) {
    let mut memory = None;
    while world.failure().is_none() {
        let seen = world.commits.seen();
        match step(&world, &*world.processes[process].log(), &mut memory).await {
            Ok(true) => sleep(world.chance.up_to(20)).await,
            Ok(false) => {
                let _ = timeout(IDLE_INTERVAL, world.commits.changed(seen)).await;
            }
            Err(Problem::Passing) => sleep(Duration::from_millis(100)).await,
            Err(Problem::Wrong(what)) => world.fail(what),
        }
    }
}

/// Projects one page. Returns true if there was something to do.
async fn step(world: &World, log: &dyn Log, memory: &mut Option<(u64, Arc<Told>)>) -> Result<bool, Problem> {
    // The memory is taken, so that a failure leaves no state behind that may be wrong.
    let (position, told) = memory.take().unwrap_or_else(|| world.rows.read());
    let head = log.head(SHARD).await?;
    if head.position == position {
        *memory = Some((position, told));
        return Ok(false);
    }
    let (told, end) = page(world, log, position, told, head).await?;
    let mut tx = world.rows.begin();
    if world.rows.stored().cursor != position {
        world.chance.met("another projector was faster");
        return Ok(true);
    }
    tx.write(told.clone());
    if world.chance.strikes(Fault::RowsLost) {
        return Err(Problem::Passing);
    }
    tx.advance(end.position);
    tx.commit()?;
    if world.chance.strikes(Fault::RowsUnknown) {
        return Err(Problem::Passing);
    }
    *memory = Some((end.position, told));
    Ok(true)
}

/// Returns the rows after the next events, up to the end of a commit.
async fn page(
    world: &World,
    log: &dyn Log,
    position: u64,
    told: Arc<Told>,
    head: Head,
) -> Result<(Arc<Told>, Head), Problem> {
    let far = position + 1 + world.chance.below(30) as u64;
    let mut end = log.boundary(SHARD, far.min(head.position)).await?;
    if end.position <= position {
        end = head;
    }
    let mut told = told;
    for recorded in log.read(SHARD, position, end.position).await? {
        let happened =
            RecordedEvent::decode(&recorded).map_err(|error| Problem::Wrong(format!("{error:?}")))?;
        Arc::make_mut(&mut told).fold(&happened).map_err(Problem::Wrong)?;
    }
    if told.position != end.position {
        return Err(Problem::Wrong(format!("rows are folded to {}, not {}", told.position, end.position)));
    }
    Ok((told, end))
}

/// Checks, after all faults, that the rows are the fold of the log.
pub(super) async fn end(world: &Arc<World>) -> Result<(), String> {
    let log = world.processes[0].log();
    let mut memory = None;
    loop {
        match step(world, &*log, &mut memory).await {
            Ok(true) => {}
            Ok(false) => break,
            Err(Problem::Passing) => return Err("a page fails without faults".into()),
            Err(Problem::Wrong(what)) => return Err(what),
        }
    }
    let mut witness = world.witness();
    witness.catch_up()?;
    let (cursor, told) = world.rows.read();
    if cursor == witness.laws.told.position && told.states == witness.laws.told.states {
        Ok(())
    } else {
        Err(format!("rows at {cursor} are not the fold of the log up to {}", witness.laws.told.position))
    }
}
