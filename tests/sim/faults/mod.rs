//! Runs with faults: several processes, each with the engine's own writer, on one log in memory, and all faults that
//! can strike them. There is one thread, a clock that moves only when all tasks wait, and a seed for all randomness: a
//! seed always gives the same run.

mod chance;
mod clients;
mod engines;
mod log;
mod problem;
mod processes;
mod projector;
mod session;
mod shrink;
mod signal;
#[cfg(test)]
mod tests;
mod webhooks;
mod witness;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chance::Chance;
pub(crate) use chance::{Fault, SOMETIMES};
use daybook_domain::Kind;
use daybook_engine::{DrivenWriter, Entropy, SHARD, STATE_CACHE_BYTES};
use daybook_log::Log;
use daybook_log::memory::MemoryLog;
use daybook_random::Random;
use engines::Process;
use projector::Rows;
pub(crate) use shrink::shrink;
use signal::Signal;
use tokio::runtime::Builder;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};
use webhooks::Lanes;
use witness::Witness;

use crate::history::{BEGIN_MS, Statistics};
use crate::ledger;
use crate::workload;

/// Default number of operations of a run.
pub(crate) const OPERATIONS: u64 = 36;
/// Number of the first operation from which on the bank states days in files, and operators match lines.
const FIRST_WITH_FILES: u64 = 24;
/// Number of seeds from which on every kind of fault and situation must have occurred.
pub(crate) const MANY_OPERATIONS: u64 = 2_000;
/// Number of clients.
const CLIENTS: u64 = 4;
/// Maximum error of a process's clock, in milliseconds.
const MAX_SKEW_MS: i64 = 2_000;
/// Timeout of a run, by its own clock.
const RUN_TIMEOUT: Duration = Duration::from_hours(200 * 24);

/// A run: its operations, and the faults that do not strike.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Seed of everything random.
    pub seed: u64,
    /// Numbers of the operations.
    pub operations: Vec<u64>,
    /// Faults that do not strike.
    pub spared: Vec<Fault>,
}

impl Plan {
    /// Returns the complete run of a seed.
    pub(crate) fn of(seed: u64, operations: u64) -> Self {
        Self { seed, operations: (0..operations).collect(), spared: vec![] }
    }
}

/// Result of a run.
#[derive(Debug)]
pub(crate) struct Report {
    /// Counts of faults and situations.
    pub seen: Statistics,
    /// Hash that identifies the run.
    pub trace: u64,
    /// First violation, if there was one.
    pub failure: Option<String>,
}

/// State that all parts of a run share.
pub(crate) struct World {
    seed: u64,
    chance: Chance,
    truth: Arc<MemoryLog>,
    /// Rings when the log grows.
    commits: Signal,
    begun: Instant,
    processes: Vec<Process>,
    witness: Mutex<Witness>,
    rows: Rows,
    lanes: Lanes,
    failure: Mutex<Option<String>>,
    ids: Mutex<u128>,
}

/// Executes the run of `plan`.
pub(crate) fn live(plan: &Plan) -> Report {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.unwrap_or_else(|error| panic!("{error}"));
    let chance = Chance::new(plan.seed, &plan.spared);
    Entropy::seed(plan.seed);
    let failure = runtime.block_on(async {
        let lived = timeout(RUN_TIMEOUT, World::live(plan, &chance)).await;
        lived.unwrap_or_else(|_| Err("it hangs".into())).err()
    });
    let (seen, trace) = chance.report();
    Report { seen, trace, failure }
}

impl World {
    async fn live(plan: &Plan, chance: &Chance) -> Result<(), String> {
        let truth = Arc::new(MemoryLog::new().omit_boxes_of(&Kind::LARGE_PAYLOADS.map(Kind::code)));
        let mut witness = Witness::new(&truth, chance, BEGIN_MS);
        open(&truth, &mut witness).await?;
        let begun = Instant::now();
        let count = 2 + chance.below(2);
        let processes = (0..count).map(|_| Process::begin(&truth, chance, begun)).collect();
        let world = Arc::new(Self {
            seed: plan.seed,
            chance: chance.clone(),
            truth,
            commits: Signal::default(),
            begun,
            processes,
            witness: Mutex::new(witness),
            rows: Rows::default(),
            lanes: Lanes::default(),
            failure: Mutex::default(),
            ids: Mutex::new(1 << 60),
        });
        chance.be_calm(false);
        let background = world.background();
        let clients = (0..CLIENTS).map(|number| {
            let own = plan.operations.iter().copied().filter(|operation| operation % CLIENTS == number);
            tokio::spawn(clients::run(world.clone(), own.collect()))
        });
        for client in clients.collect::<Vec<_>>() {
            client.await.map_err(|error| error.to_string())?;
        }
        chance.be_calm(true);
        background.iter().for_each(JoinHandle::abort);
        for task in background {
            if let Err(error) = task.await
                && error.is_panic()
            {
                return Err(error.to_string());
            }
        }
        world.end().await
    }

    /// Starts everything that runs beside the clients.
    fn background(self: &Arc<Self>) -> Vec<JoinHandle<()>> {
        let (world, mut heads) = (self.clone(), self.truth.watch(SHARD));
        let tell = async move {
            while heads.changed().await.is_ok() {
                world.commits.ring();
            }
        };
        let mut tasks = vec![tokio::spawn(tell)];
        for process in 0..2 {
            tasks.push(tokio::spawn(projector::run(self.clone(), process)));
            tasks.push(tokio::spawn(processes::run(self.clone(), process)));
            tasks.push(tokio::spawn(webhooks::run(self.clone(), process)));
        }
        tasks
    }

    /// Ends the run without faults: all processes recover, and all work that was begun is completed.
    async fn end(self: &Arc<Self>) -> Result<(), String> {
        if let Some(failure) = self.failure() {
            return Err(failure);
        }
        self.processes.iter().for_each(|process| process.heal(self));
        // Late commits have finished after this time.
        tokio::time::sleep(Duration::from_secs(20)).await;
        let mut random = Random::branch(self.seed, 0);
        if random.once_in(4) {
            processes::come_to_rest(self, &mut random).await?;
        }
        clients::look_around(self).await?;
        projector::end(self).await?;
        webhooks::end(self).await?;
        self.witness().end()?;
        ledger::verify(&self.truth, SHARD).await?;
        self.failure().map_or(Ok(()), Err)
    }

    /// Returns the time of a correct clock.
    fn now_ms(&self) -> i64 {
        wall(self.begun, 0)
    }

    fn witness(&self) -> MutexGuard<'_, Witness> {
        self.witness.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the first violation.
    fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn fail(&self, what: String) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(what);
    }

    /// Returns a new id.
    fn fresh(&self) -> u128 {
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        *ids += 1;
        *ids
    }
}

/// Returns the time of a clock that is `skew_ms` ahead.
fn wall(begun: Instant, skew_ms: i64) -> i64 {
    BEGIN_MS + i64::try_from(begun.elapsed().as_millis()).unwrap_or(i64::MAX) + skew_ms
}

/// Opens the small bank of the fixtures, before faults begin.
async fn open(truth: &Arc<MemoryLog>, witness: &mut Witness) -> Result<(), String> {
    let mut writer = DrivenWriter::new(truth.clone(), STATE_CACHE_BYTES).await;
    let asked = workload::opening().into_iter().map(|command| {
        let (_, call) = witness.ask(None, &command, BEGIN_MS, 0);
        (call, command)
    });
    let asked: Vec<_> = asked.collect();
    let at = daybook_domain::Timestamp::from_ms(BEGIN_MS);
    for (mark, outcome) in writer.submit(at, asked).await {
        witness.answer(mark, &outcome, BEGIN_MS)?;
    }
    Ok(())
}
