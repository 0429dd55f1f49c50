//! Runs what is due: takes to-do rows, submits a command for each, and waits until the projection has seen it.
//!
//! Any process may run this; a row is locked while it is worked on. Doing a thing twice changes nothing: the state
//! refuses it.

use std::collections::HashMap;
use std::time::Duration;

use daybook_domain::process::Process;
use daybook_domain::transaction::advance::{Advance, Step};
use daybook_domain::user::verify::Verify;
use daybook_domain::{Command, State, Timestamp, TransactionId, UserId};
use daybook_log::Shard;
use daybook_pg::Pg;
use daybook_projector::Due;
use futures::future::join_all;
use tokio::sync::watch;

use crate::batch::Call;
use crate::engine::{Engine, SHARD};
use crate::rails::identity;

/// The most to-dos taken at once: four batches of the writer, so that it need not wait for the next round.
const ROUND: i64 = 1024;
/// How long a pause between two looks may be.
const IDLE: Duration = Duration::from_millis(100);
/// The longest pause while rounds fail.
const MAX_PAUSE: Duration = Duration::from_secs(5);
/// How long to wait for the projection before looking again.
const PATIENCE: Duration = Duration::from_millis(500);
/// The longest pause after repeated failures, in milliseconds.
const MAX_BACKOFF_MS: i64 = 60 * 60 * 1000;

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
}

impl Processes {
    /// A runner that submits to `engine`.
    #[must_use]
    pub fn new(engine: Engine, pg: Pg) -> Self {
        Self { engine, pg, shard: SHARD, resting: HashMap::new() }
    }

    /// Runs until `stop` says so.
    pub async fn run(mut self, mut stop: watch::Receiver<bool>) {
        let mut failures = 0;
        while !*stop.borrow() {
            let pause = match self.turn().await {
                Ok(done) => {
                    failures = 0;
                    if done == 0 { IDLE } else { Duration::ZERO }
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

    /// A round of each process; answers how many to-dos led to something.
    async fn turn(&mut self) -> Result<usize, daybook_projector::Error> {
        Ok(self.round(Process::Verification).await? + self.round(Process::Settlement).await?)
    }

    /// Does what is due of one process; answers how many to-dos led to something.
    async fn round(&mut self, process: Process) -> Result<usize, daybook_projector::Error> {
        let now = self.engine.clock().now();
        let except: Vec<u128> =
            self.resting.iter().filter(|(_, (_, until))| *until > now).map(|(id, _)| *id).collect();
        let (engine, shard) = (&self.engine, self.shard);
        let results = self
            .pg
            .tx("process.round", async |tx| {
                let due = engine.reads().due(tx, shard, process, now, &except, ROUND).await?;
                let work =
                    due.into_iter().map(async |due| (due.id, perform(engine, shard, process, due).await));
                Ok::<_, daybook_projector::Error>(join_all(work).await)
            })
            .await?;
        let reached = results.iter().filter_map(|(_, result)| result.as_ref().ok()).copied().max();
        for (id, result) in &results {
            match result {
                Ok(_) => {
                    self.resting.remove(id);
                }
                Err(problem) => self.rest(*id, now, problem),
            }
        }
        if let Some(position) = reached {
            // Until then the same rows would be found due again.
            self.engine.reads().caught_up(self.shard, position, PATIENCE).await?;
        }
        Ok(results.iter().filter(|(_, result)| result.is_ok()).count())
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
    let user = engine.reads().record(shard, id.into()).await?.map(|found| found.state);
    let Some(State::User(user)) = user else { return Err(Problem::Pointless) };
    let findings = engine.identity_check(user.platform).await?.check(shard, id, &user).await?;
    Ok(Verify { user: id, findings })
}
