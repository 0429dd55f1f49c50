//! Runs what is due: takes to-do rows, submits a command for each, and waits until the projection has seen it.
//!
//! Any process may run this; a row is locked while it is worked on. Doing a thing twice changes nothing: the state
//! refuses it.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use daybook_domain::process::Process;
use daybook_domain::transaction::advance::{Advance, Step};
use daybook_domain::user::verify::Verify;
use daybook_domain::{Command, Key, State, Timestamp, TransactionId, UserId, user};
use daybook_log::Shard;
use daybook_pg::Pg;
use daybook_projector::{Due, Place, fold};
use futures::stream::{self, StreamExt};
use tokio::sync::watch;

use crate::batch::Call;
use crate::engine::{Engine, SHARD};
use crate::rails::identity;

/// How long a pause between two looks may be.
const IDLE: Duration = Duration::from_millis(100);
/// The longest pause while rounds fail.
const MAX_PAUSE: Duration = Duration::from_secs(5);
/// How long to wait for the projection before looking again.
const PATIENCE: Duration = Duration::from_millis(500);
/// The longest pause after repeated failures, in milliseconds.
const MAX_BACKOFF_MS: i64 = 60 * 60 * 1000;

/// Before everything that is due.
const FIRST: Place = (Timestamp::from_ms(0), 0);

/// How many to-dos of a process are taken at once, and how many of those are worked on at the same time. A step of a
/// transaction only waits for the writer, which takes two such batches; an identity check reads the database while
/// others wait for its connections, and a round must end before its own connection is taken for idle.
const fn sizes(process: Process) -> (u16, usize) {
    match process {
        Process::Verification => (64, 4),
        Process::Settlement => (512, 512),
    }
}

/// What went wrong with one to-do; it is tried again later.
#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error(transparent)]
    Submit(#[from] crate::SubmitError),
    #[error(transparent)]
    Reads(#[from] daybook_projector::Error),
    #[error(transparent)]
    Access(#[from] crate::access::AccessError),
    #[error(transparent)]
    Identity(#[from] identity::IdentityError),
    #[error("the to-do is about nothing that exists")]
    Pointless,
}

/// The runner of all processes of one shard.
pub struct Processes {
    engine: Engine,
    pg: Pg,
    shard: Shard,
    /// To-dos that failed: how often, and until when they are left alone.
    resting: HashMap<u128, (u32, Timestamp)>,
    /// How far each process has walked through what is due, if there is more behind.
    places: BTreeMap<Process, Place>,
}

impl Processes {
    /// A runner that submits to `engine`.
    #[must_use]
    pub fn new(engine: Engine, pg: Pg) -> Self {
        Self { engine, pg, shard: SHARD, resting: HashMap::new(), places: BTreeMap::new() }
    }

    /// Runs until `stop` says so.
    pub async fn run(mut self, mut stop: watch::Receiver<bool>) {
        let mut failures = 0;
        while !*stop.borrow() {
            let pause = match self.turn().await {
                Ok(more) => {
                    failures = 0;
                    if more { Duration::ZERO } else { IDLE }
                }
                Err(error) => {
                    let pause = (IDLE * (1 << failures.min(6))).min(MAX_PAUSE);
                    failures += 1;
                    let error = &error as &dyn std::error::Error;
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

    /// A round of each process; answers whether there is more to do right now. One that fails does not stop the other.
    async fn turn(&mut self) -> Result<bool, daybook_projector::Error> {
        let verification = self.round(Process::Verification).await;
        let settlement = self.round(Process::Settlement).await;
        Ok(verification? | settlement?)
    }

    /// Does the next of what is due of one process; answers whether there is more to do right now.
    async fn round(&mut self, process: Process) -> Result<bool, daybook_projector::Error> {
        let now = self.engine.clock().now();
        let after = self.places.remove(&process).unwrap_or(FIRST);
        let (taken, at_once) = sizes(process);
        let (engine, shard, resting) = (&self.engine, self.shard, &self.resting);
        let is_resting = |due: &Due| resting.get(&due.id).is_some_and(|(_, until)| *until > now);
        let (last, results) = self
            .pg
            .tx("process.round", async |tx| {
                let due = engine.reads().due(tx, shard, process, now, after, taken).await?;
                // A full page may have more behind it, even if all that is on it has to rest.
                let last =
                    due.last().filter(|_| due.len() == usize::from(taken)).map(|due| (due.due_at, due.id));
                let work = due.into_iter().filter(|due| !is_resting(due));
                let work = work.map(async |due| (due.id, perform(engine, shard, process, due).await));
                let results: Vec<_> = stream::iter(work).buffer_unordered(at_once).collect().await;
                Ok::<_, daybook_projector::Error>((last, results))
            })
            .await?;
        self.places.extend(last.map(|last| (process, last)));
        for (id, result) in &results {
            match result {
                Ok(_) => {
                    self.resting.remove(id);
                }
                Err(problem) => self.rest(*id, now, problem),
            }
        }
        if let Some(position) = results.iter().filter_map(|(_, result)| result.as_ref().ok()).max() {
            // Until then the same rows would be found due again.
            self.engine.reads().caught_up(self.shard, *position, PATIENCE).await?;
        }
        Ok(last.is_some() || results.iter().any(|(_, result)| result.is_ok()))
    }

    fn rest(&mut self, id: u128, now: Timestamp, problem: &Problem) {
        let (failures, until) = self.resting.entry(id).or_insert((0, now));
        let pause_ms = (1_000_i64 << (*failures).min(12)).min(MAX_BACKOFF_MS);
        *failures += 1;
        *until = now.plus_ms(pause_ms);
        let error = problem as &dyn std::error::Error;
        tracing::warn!(error, id = %TransactionId::from_u128(id), pause_ms, "a to-do failed");
    }
}

/// Carries one to-do out; answers the position that it led to.
async fn perform(engine: &Engine, shard: Shard, process: Process, due: Due) -> Result<u64, Problem> {
    let command = match process {
        Process::Settlement => {
            let id = TransactionId::from_u128(due.id);
            let step = Step::from_code(due.step).ok_or(Problem::Pointless)?;
            Command::Advance(Advance { id, step })
        }
        Process::Verification => Command::VerifyUser(verify(engine, shard, UserId::from_u128(due.id)).await?),
    };
    Ok(engine.submit(Call::default(), command).await?.position)
}

/// Has the user's identity checked.
async fn verify(engine: &Engine, shard: Shard, id: UserId) -> Result<Verify, Problem> {
    let key = Key::from(id);
    let events = engine.reads().timelines(shard, &[key]).await?.remove(&key).ok_or(Problem::Pointless)?;
    let Some(State::User(user)) = fold(None, &events)?.map(|folded| folded.state) else {
        return Err(Problem::Pointless);
    };
    let boxes = user::boxes(events.iter().map(|happened| &happened.event));
    let documents: Vec<_> =
        user.documents.iter().map(|document| (document, boxes.get(&document.id).copied())).collect();
    let findings = engine.identity_check(user.platform).await?.check(shard, id, &documents).await?;
    Ok(Verify { user: id, findings })
}
