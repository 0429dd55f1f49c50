//! Runs what is due: takes to-do rows, submits a command for each, and waits until the projection has seen it.
//!
//! Any process may run this; what is worked on is locked: a row, or of steps of transactions all of them. Doing a thing
//! twice changes nothing: the state refuses it.

mod delivery;
mod due_by;
mod outcome;
mod perform;
mod statement;
mod submission;
mod verification;

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use daybook_domain::process::Process;
use daybook_domain::{PlatformId, Timestamp, TransactionId};
use daybook_log::Shard;
use daybook_pg::{Causes, Pg};
use daybook_projector::{Due, Place, Question};
pub use delivery::Delivery;
pub use outcome::DeliveryError;
use outcome::Problem;
use tokio::sync::watch;
use tokio::time::Instant;
use tracing::field::display;

use crate::engine::{Engine, SHARD};
use crate::heartbeat::{Component, LATE};
use crate::readiness::Fault;

/// How long a pause between two looks may be.
const IDLE: Duration = Duration::from_millis(100);
/// The longest pause while rounds fail.
const MAX_PAUSE: Duration = Duration::from_secs(5);
/// How long to wait for the projection before looking again.
const PATIENCE: Duration = Duration::from_millis(500);
/// The longest pause after repeated failures, in milliseconds.
const MAX_BACKOFF_MS: i64 = 60 * 60 * 1000;
/// The longest pause while something has not come yet: what waits for a bank's cut-off goes soon after it, together.
const MAX_WAIT_MS: i64 = 60 * 1000;

/// A to-do that is left alone for a while.
struct Resting {
    /// Whether something went wrong; else what it waits for has not come.
    has_failed: bool,
    /// How often it was tried.
    tries: u32,
    until: Timestamp,
}

/// How far a lane has walked through what is due.
#[derive(Clone, Copy)]
struct Walk {
    /// What comes next is behind this.
    after: Place,
    /// The position that what was done so far led to.
    done: u64,
}

/// Before everything that is due.
const FIRST: Walk = Walk { after: (Timestamp::from_ms(0), 0), done: 0 };

/// Every process, in the order of a turn: what moves money on comes first.
const ALL: [Process; 6] = [
    Process::Settlement,
    Process::Release,
    Process::Verification,
    Process::Submission,
    Process::Delivery,
    Process::Statement,
];

/// How many to-dos of a process are taken at once, and how many of those are worked on at the same time. A step of a
/// transaction only waits for the writer, which takes two such batches; rows that are locked keep the projection waiting
/// until the round ends; what reads the database while others wait for its connections goes slower, and a round must end
/// before its own connection is taken for idle.
const fn sizes(process: Process) -> (u16, usize) {
    match process {
        Process::Settlement => (1024, 512),
        Process::Release => (512, 512),
        // As many as a file has entries.
        Process::Submission => (500, 1),
        Process::Verification => (64, 4),
        Process::Delivery | Process::Statement => (16, 2),
    }
}

/// Whose to-dos a round takes: everybody's by the wall's clock, or those of a platform whose clock is ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Lane {
    process: Process,
    platform: Option<PlatformId>,
}

/// The runner of all processes of one shard.
pub struct Processes {
    engine: Engine,
    pg: Pg,
    shard: Shard,
    /// To-dos that failed or wait. Several processes have something to do about a transaction: one that waits keeps none of
    /// the others from it.
    resting: HashMap<(Process, u128), Resting>,
    /// When the rarer processes looked last.
    looked: Option<Instant>,
    /// How far each lane has walked, if there is more behind.
    walks: BTreeMap<Lane, Walk>,
}

impl Processes {
    /// A runner that submits to `engine`.
    #[must_use]
    pub fn new(engine: Engine, pg: Pg) -> Self {
        Self { engine, pg, shard: SHARD, resting: HashMap::new(), looked: None, walks: BTreeMap::new() }
    }

    /// Runs until `stop` says so.
    pub async fn run(mut self, mut stop: watch::Receiver<bool>) {
        let mut failures = 0;
        while !*stop.borrow() {
            let turn = self.turn().await;
            self.report(turn.is_err());
            let pause = match turn {
                Ok(more) => {
                    failures = 0;
                    if more { Duration::ZERO } else { IDLE }
                }
                Err(error) => {
                    let pause = (IDLE * (1 << failures.min(6))).min(MAX_PAUSE);
                    failures += 1;
                    let error = display(Causes(&error));
                    tracing::warn!(error, ?pause, "a round of processes failed");
                    pause
                }
            };
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                stopped = stop.changed() => if stopped.is_err() { return },
            }
        }
    }

    /// A round of each process; answers whether there is more to do right now. One that fails does not stop the others.
    ///
    /// While transactions wait for their steps, the rarer processes look only as often as they do when idle.
    async fn turn(&mut self) -> Result<bool, daybook_projector::Error> {
        let looks = self.looked.is_none_or(|looked| looked.elapsed() >= IDLE);
        let mut outcome = self.rounds(looks, None, 0).await;
        if looks {
            self.looked = Some(Instant::now());
            self.count_resting();
            for (platform, ahead_ms) in self.engine.reads().lists().clocks(self.shard).await? {
                outcome = merge(outcome, self.rounds(looks, Some(platform), ahead_ms).await);
            }
        }
        outcome
    }

    /// A round of each process that has something to do, or has walked through a part of it.
    async fn rounds(
        &mut self,
        looks: bool,
        platform: Option<PlatformId>,
        ahead_ms: i64,
    ) -> Result<bool, daybook_projector::Error> {
        let mut due = if looks { self.due(platform, ahead_ms).await? } else { ALL[..1].to_vec() };
        let mut outcome = Ok(false);
        for process in ALL {
            let lane = Lane { process, platform };
            let has_walked = looks && self.walks.contains_key(&lane);
            if !has_walked && !due.contains(&process) {
                continue;
            }
            let done = self.round(lane, ahead_ms).await;
            if looks && matches!(done, Ok(true)) {
                // What one has done may be what another waited for.
                due = self.due(platform, ahead_ms).await?;
            }
            outcome = merge(outcome, done);
        }
        outcome
    }

    /// The processes that have something to do.
    async fn due(
        &self,
        platform: Option<PlatformId>,
        ahead_ms: i64,
    ) -> Result<Vec<Process>, daybook_projector::Error> {
        let now = self.engine.clock().now().plus_ms(ahead_ms);
        self.engine.reads().lists().any_due(self.shard, platform, now).await
    }

    /// Does the next of what is due in one lane; answers whether there is more to do right now.
    async fn round(&mut self, lane: Lane, ahead_ms: i64) -> Result<bool, daybook_projector::Error> {
        let wall = self.engine.clock().now();
        let now = wall.plus_ms(ahead_ms);
        let Walk { after, done: before } = self.walks.remove(&lane).unwrap_or(FIRST);
        let (taken, at_once) = sizes(lane.process);
        let (engine, shard, resting) = (&self.engine, self.shard, &self.resting);
        let is_resting =
            |due: &Due| resting.get(&(lane.process, due.id)).is_some_and(|resting| resting.until > wall);
        let (last, results) = self
            .pg
            .tx("process.round", async |tx| {
                let reads = engine.reads();
                let Lane { process, platform } = lane;
                let question = Question { process, platform, now, after, limit: taken };
                let due = reads.lists().due(tx, shard, question).await?;
                // A full page may have more behind it, even if all that is on it has to rest.
                let last =
                    due.last().filter(|_| due.len() == usize::from(taken)).map(|due| (due.due_at, due.id));
                let work = due.into_iter().filter(|due| !is_resting(due)).collect();
                let results = perform::all(engine, shard, lane.process, now, work, at_once).await;
                Ok::<_, daybook_projector::Error>((last, results))
            })
            .await?;
        let done = results.iter().filter_map(|(_, result)| result.as_ref().ok().copied());
        let done = done.fold(before, u64::max);
        self.walks.extend(last.map(|after| (lane, Walk { after, done })));
        for (id, result) in &results {
            let outcome = match result {
                Ok(_) => {
                    self.resting.remove(&(lane.process, *id));
                    "done"
                }
                Err(problem) => {
                    self.rest((lane.process, *id), wall, problem);
                    if matches!(problem, Problem::NotYet) { "waiting" } else { "failed" }
                }
            };
            self.engine.metrics().worked_on(lane.process, outcome);
        }
        // From the beginning the same rows would be found due again until then; behind them there are others, and the
        // projection may be a round late.
        let seen = if last.is_some() { before } else { done };
        self.engine.reads().store().caught_up(self.shard, seen, PATIENCE).await?;
        Ok(last.is_some() || results.iter().any(|(_, result)| result.is_ok()))
    }

    /// Counts what rests, and forgets what was not found again when it was due: another process did it.
    fn count_resting(&mut self) {
        let now = self.engine.clock().now();
        self.resting.retain(|_, resting| resting.until.plus_ms(MAX_BACKOFF_MS) > now);
        self.engine.metrics().resting(self.resting.values().filter(|resting| resting.until > now).count());
    }

    /// Reports the end of a turn.
    fn report(&self, has_failed: bool) {
        let (heartbeats, now) = (self.engine.heartbeats(), self.engine.clock().now());
        let round = has_failed.then_some("a round failed".into());
        heartbeats.turn(
            Component::Processes,
            LATE,
            round.or(self.failing(now, |process| !is_of_files(process))),
        );
        heartbeats.turn(Component::Files, LATE, self.failing(now, is_of_files));
    }

    /// The number of to-dos that fail, if some do. One that is not found again soon after its rest was done by another process.
    fn failing(&self, now: Timestamp, is_asked: impl Fn(Process) -> bool) -> Fault {
        let fails = |(key, resting): &(&(Process, u128), &Resting)| {
            resting.has_failed && is_asked(key.0) && resting.until.plus_ms(MAX_WAIT_MS) > now
        };
        let count = self.resting.iter().filter(fails).count();
        (count > 0).then(|| format!("to-dos fail: {count}").into())
    }

    fn rest(&mut self, (process, id): (Process, u128), now: Timestamp, problem: &Problem) {
        let has_failed = !matches!(problem, Problem::NotYet);
        let resting =
            self.resting.entry((process, id)).or_insert(Resting { has_failed, tries: 0, until: now });
        let longest_ms = if has_failed { MAX_BACKOFF_MS } else { MAX_WAIT_MS };
        let pause_ms = (1_000_i64 << resting.tries.min(12)).min(longest_ms);
        let tries = resting.tries + 1;
        *resting = Resting { has_failed, tries, until: now.plus_ms(pause_ms) };
        if has_failed {
            let error = display(Causes(problem));
            tracing::warn!(error, id = %TransactionId::from_u128(id), pause_ms, "a to-do failed");
        }
    }
}

/// Whether a process makes, hands over or reads files of banks.
const fn is_of_files(process: Process) -> bool {
    match process {
        Process::Submission | Process::Delivery | Process::Statement => true,
        Process::Verification | Process::Settlement | Process::Release => false,
    }
}

/// More to do if either has; a failure outlasts a success.
fn merge<E>(one: Result<bool, E>, other: Result<bool, E>) -> Result<bool, E> {
    Ok(one? | other?)
}
