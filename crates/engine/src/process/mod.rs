//! Process manager: takes due to-dos, submits a command for each, and waits until the projection has caught up.
//!
//! Any process of the operating system may run it. A round locks its rows, or, for steps of transactions, all of them.
//! Repeating a to-do is safe: the state of the aggregate refuses a second step.

mod delivery;
mod due_by;
mod outcome;
mod perform;
mod sandbox_statement;
mod submission;
mod verification;

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use daybook_domain::process::Process;
use daybook_domain::{PlatformId, Timestamp, TransactionId};
use daybook_log::{Activity, Shard};
use daybook_pg::{Causes, Pg};
use daybook_projector::{Due, DuePosition, Question};
pub use delivery::Delivery;
pub use outcome::DeliveryError;
use outcome::ToDoError;
use tokio::sync::watch;
use tokio::time::Instant;
use tracing::field::display;

use crate::engine::Engine;
use crate::heartbeat::{Component, LATE_AFTER};
use crate::readiness::Fault;

/// Interval between two polls while nothing is due.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Interval between two polls while the shard is quiet.
const QUIET_INTERVAL: Duration = Duration::from_secs(2);
/// Maximum pause between failing rounds.
const MAX_RETRY_INTERVAL: Duration = Duration::from_secs(5);
/// Maximum wait for the projection before the next poll.
const CATCH_UP_TIMEOUT: Duration = Duration::from_millis(500);
/// Maximum backoff after repeated failures, in milliseconds.
const MAX_BACKOFF_MS: i64 = 60 * 60 * 1000;
/// Maximum backoff of a to-do that waits, in milliseconds. Transactions that wait for a bank's cut-off are submitted
/// together soon after it.
const MAX_WAIT_MS: i64 = 60 * 1000;

/// A to-do that is backing off.
struct BackedOff {
    /// True if the to-do failed; false if its precondition is not met yet.
    has_failed: bool,
    /// Number of attempts so far.
    tries: u32,
    until: Timestamp,
}

/// Page cursor of a queue through its due to-dos.
#[derive(Clone, Copy)]
struct PageCursor {
    /// Place of the last to-do taken; the next page begins after it.
    after: DuePosition,
    /// Highest log position that the work so far led to.
    done: u64,
}

/// Start of the queue.
const START: PageCursor = PageCursor { after: (Timestamp::from_ms(0), 0), done: 0 };

/// All processes in the order of a turn. Steps that move money come first.
const ALL: [Process; 9] = [
    Process::Settlement,
    Process::Release,
    Process::Verification,
    Process::Submission,
    Process::Delivery,
    Process::Statement,
    Process::Booking,
    Process::Matching,
    Process::Retention,
];

/// Batch size of a process, and the number of its to-dos worked on concurrently. Three limits apply:
///
/// - A step of a transaction only waits for the writer, and the writer takes two such batches.
/// - Locked rows block the projection until the round ends.
/// - Work that needs database connections slows down if many wait for one, and a round must end before the idle timeout
///   of its own connection.
const fn sizes(process: Process) -> (u16, usize) {
    match process {
        Process::Settlement => (1024, 512),
        Process::Release => (512, 512),
        // Number of entries in a file.
        Process::Submission => (500, 1),
        Process::Verification => (64, 4),
        Process::Delivery
        | Process::Statement
        | Process::Booking
        | Process::Matching
        | Process::Retention => (16, 2),
    }
}

/// Scope of a poll: all platforms at wall-clock time, or one sandbox platform at its own clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct WorkQueue {
    process: Process,
    platform: Option<PlatformId>,
}

/// Runner of all processes of one shard.
pub struct Processes {
    engine: Engine,
    pg: Pg,
    shard: Shard,
    /// To-dos that failed or wait, by process: a transaction may have to-dos of several processes, and one that waits
    /// does not block the others.
    backing_off: HashMap<(Process, u128), BackedOff>,
    /// Time of the last poll of the less frequent processes.
    polled_at: Option<Instant>,
    /// Page cursor of each queue with further due to-dos.
    cursors: BTreeMap<WorkQueue, PageCursor>,
}

impl Processes {
    /// Creates a runner of `shard` that submits its commands to `engine`.
    #[must_use]
    pub fn new(engine: Engine, pg: Pg, shard: Shard) -> Self {
        Self { engine, pg, shard, backing_off: HashMap::new(), polled_at: None, cursors: BTreeMap::new() }
    }

    /// Runs until `stop` is set.
    pub async fn run(mut self, mut stop: watch::Receiver<bool>) {
        let mut failures = 0;
        let mut activity = Activity::of(&**self.engine.log(), self.shard);
        while !*stop.borrow() {
            let turn = self.turn().await;
            self.report(turn.is_err());
            let pause = match turn {
                Ok(more) => {
                    failures = 0;
                    if more {
                        activity.note();
                        Duration::ZERO
                    } else {
                        POLL_INTERVAL
                    }
                }
                Err(error) => {
                    let pause = (POLL_INTERVAL * (1 << failures.min(6))).min(MAX_RETRY_INTERVAL);
                    failures += 1;
                    let error = display(Causes(&error));
                    tracing::warn!(shard = self.shard, error, ?pause, "a round of processes failed");
                    pause
                }
            };
            tokio::select! {
                () = activity.pause(pause, pause.max(QUIET_INTERVAL)) => {}
                stopped = stop.changed() => if stopped.is_err() { return },
            }
        }
    }

    /// Runs a round of each process. Returns true if more is due immediately. A failing process does not stop the
    /// others.
    ///
    /// While steps of transactions are due, the less frequent processes are polled only at the idle interval.
    async fn turn(&mut self) -> Result<bool, daybook_projector::Error> {
        let polls = self.polled_at.is_none_or(|polled_at| polled_at.elapsed() >= POLL_INTERVAL);
        let mut outcome = self.rounds(polls, None, 0).await;
        if polls {
            self.polled_at = Some(Instant::now());
            self.count_backing_off();
            for (platform, ahead_ms) in self.engine.reads().lists().clocks(self.shard).await? {
                outcome = merge(outcome, self.rounds(polls, Some(platform), ahead_ms).await);
            }
        }
        outcome
    }

    /// Runs a round of each process with due to-dos or an unfinished page cursor.
    async fn rounds(
        &mut self,
        polls: bool,
        platform: Option<PlatformId>,
        ahead_ms: i64,
    ) -> Result<bool, daybook_projector::Error> {
        let mut due = if polls { self.due(platform, ahead_ms).await? } else { ALL[..1].to_vec() };
        let mut outcome = Ok(false);
        for process in ALL {
            let queue = WorkQueue { process, platform };
            let has_cursor = polls && self.cursors.contains_key(&queue);
            if !has_cursor && !due.contains(&process) {
                continue;
            }
            let done = self.round(queue, ahead_ms).await;
            if polls && matches!(done, Ok(true)) {
                // The result of one process may be the precondition of another.
                due = self.due(platform, ahead_ms).await?;
            }
            outcome = merge(outcome, done);
        }
        outcome
    }

    /// Returns the processes with due to-dos.
    async fn due(
        &self,
        platform: Option<PlatformId>,
        ahead_ms: i64,
    ) -> Result<Vec<Process>, daybook_projector::Error> {
        let now = self.engine.clock().now().plus_ms(ahead_ms);
        self.engine.reads().lists().any_due(self.shard, platform, now).await
    }

    /// Runs the next page of one queue. Returns true if more is due immediately.
    async fn round(&mut self, queue: WorkQueue, ahead_ms: i64) -> Result<bool, daybook_projector::Error> {
        let wall = self.engine.clock().now();
        let now = wall.plus_ms(ahead_ms);
        let PageCursor { after, done: before } = self.cursors.remove(&queue).unwrap_or(START);
        let (taken, at_once) = sizes(queue.process);
        let (engine, shard, backing_off) = (&self.engine, self.shard, &self.backing_off);
        let is_backing_off = |due: &Due| {
            backing_off.get(&(queue.process, due.id)).is_some_and(|backing_off| backing_off.until > wall)
        };
        let (last, results) = self
            .pg
            .of(shard)
            .tx("process.round", async |tx| {
                let reads = engine.reads();
                let WorkQueue { process, platform } = queue;
                let question = Question { process, platform, now, after, limit: taken };
                let due = reads.lists().due(tx, shard, question).await?;
                // A full page may be followed by further to-dos, even if every to-do on it is backing off.
                let last =
                    due.last().filter(|_| due.len() == usize::from(taken)).map(|due| (due.due_at, due.id));
                let work = due.into_iter().filter(|due| !is_backing_off(due)).collect();
                let results = perform::all(engine, shard, queue.process, now, work, at_once).await;
                Ok::<_, daybook_projector::Error>((last, results))
            })
            .await?;
        let done = results.iter().filter_map(|(_, result)| result.as_ref().ok().copied());
        let done = done.fold(before, u64::max);
        self.cursors.extend(last.map(|after| (queue, PageCursor { after, done })));
        for (id, result) in &results {
            let outcome = match result {
                Ok(_) => {
                    self.backing_off.remove(&(queue.process, *id));
                    "done"
                }
                Err(problem) => {
                    self.back_off((queue.process, *id), wall, problem);
                    if matches!(problem, ToDoError::NotReady) { "waiting" } else { "failed" }
                }
            };
            self.engine.metrics().worked_on(queue.process, outcome);
        }
        // At the end of the queue, wait for the projection: otherwise the next poll would find the same rows due again.
        // Between pages, the projection may be one round late.
        let seen = if last.is_some() { before } else { done };
        self.engine.reads().store().caught_up(self.shard, seen, CATCH_UP_TIMEOUT).await?;
        Ok(last.is_some() || results.iter().any(|(_, result)| result.is_ok()))
    }

    /// Counts the to-dos that are backing off. Drops those that were not due again in time: another process did them.
    fn count_backing_off(&mut self) {
        let now = self.engine.clock().now();
        self.backing_off.retain(|_, backing_off| backing_off.until.plus_ms(MAX_BACKOFF_MS) > now);
        let count = self.backing_off.values().filter(|backing_off| backing_off.until > now).count();
        self.engine.metrics().backing_off(self.shard, count);
    }

    /// Reports the end of a turn.
    fn report(&self, has_failed: bool) {
        let (heartbeats, now) = (self.engine.heartbeats(self.shard), self.engine.clock().now());
        let round = has_failed.then_some("a round failed".into());
        heartbeats.turn(
            Component::Processes,
            LATE_AFTER,
            round.or(self.failing(now, |process| !is_of_files(process))),
        );
        heartbeats.turn(Component::Files, LATE_AFTER, self.failing(now, is_of_files));
    }

    /// Returns a fault with the number of failing to-dos, if any. A to-do that is not found again soon after its
    /// backoff was done by another process.
    fn failing(&self, now: Timestamp, is_asked: impl Fn(Process) -> bool) -> Fault {
        let fails = |(key, backing_off): &(&(Process, u128), &BackedOff)| {
            backing_off.has_failed && is_asked(key.0) && backing_off.until.plus_ms(MAX_WAIT_MS) > now
        };
        let count = self.backing_off.iter().filter(fails).count();
        (count > 0).then(|| format!("to-dos fail: {count}").into())
    }

    fn back_off(&mut self, (process, id): (Process, u128), now: Timestamp, problem: &ToDoError) {
        let has_failed = !matches!(problem, ToDoError::NotReady);
        let backing_off =
            self.backing_off.entry((process, id)).or_insert(BackedOff { has_failed, tries: 0, until: now });
        let longest_ms = if has_failed { MAX_BACKOFF_MS } else { MAX_WAIT_MS };
        let pause_ms = (1_000_i64 << backing_off.tries.min(12)).min(longest_ms);
        let tries = backing_off.tries + 1;
        *backing_off = BackedOff { has_failed, tries, until: now.plus_ms(pause_ms) };
        if has_failed {
            let error = display(Causes(problem));
            tracing::warn!(error, id = %TransactionId::from_u128(id), pause_ms, "a to-do failed");
        }
    }
}

/// Returns true if a process creates, delivers or reads files of banks.
const fn is_of_files(process: Process) -> bool {
    match process {
        Process::Submission
        | Process::Delivery
        | Process::Statement
        | Process::Booking
        | Process::Matching => true,
        Process::Verification | Process::Settlement | Process::Release | Process::Retention => false,
    }
}

/// Merges two results: true if more is due in either, and a failure takes precedence.
fn merge<E>(one: Result<bool, E>, other: Result<bool, E>) -> Result<bool, E> {
    Ok(one? | other?)
}
