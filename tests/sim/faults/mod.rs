//! Runs with faults: several processes, each with the engine's own writer, on one log in memory, and everything that may
//! happen to them. One thread, a clock that only moves when everybody waits, and all chance from a seed: a seed is a run.

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
use daybook_engine::{DrivenWriter, Entropy, SHARD, STATE_CACHE};
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

/// How many operations a run has unless told otherwise.
pub(crate) const OPERATIONS: u64 = 24;
/// A run of so many seeds has met everything.
pub(crate) const MANY: u64 = 2_000;
/// How many clients ask for them.
const CLIENTS: u64 = 4;
/// How far a process's clock may be from the others'.
const MAX_SKEW_MS: i64 = 2_000;
/// A run that takes longer, by its own clock, hangs.
const PATIENCE: Duration = Duration::from_hours(200 * 24);

/// A run: what is asked, and what does not go wrong.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// What everything follows from.
    pub seed: u64,
    /// Which operations are asked for.
    pub operations: Vec<u64>,
    /// Faults that do not strike.
    pub spared: Vec<Fault>,
}

impl Plan {
    /// The whole run of a seed.
    pub(crate) fn of(seed: u64, operations: u64) -> Self {
        Self { seed, operations: (0..operations).collect(), spared: vec![] }
    }
}

/// What a run was.
#[derive(Debug)]
pub(crate) struct Report {
    /// What was counted.
    pub seen: Statistics,
    /// What tells it from others.
    pub trace: u64,
    /// What was wrong, if anything was.
    pub failure: Option<String>,
}

/// Everything in a run; its parts share it.
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

/// Lives the run of `plan`.
pub(crate) fn live(plan: &Plan) -> Report {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.unwrap_or_else(|error| panic!("{error}"));
    let chance = Chance::new(plan.seed, &plan.spared);
    Entropy::seed(plan.seed);
    let failure = runtime.block_on(async {
        let lived = timeout(PATIENCE, World::live(plan, &chance)).await;
        lived.unwrap_or_else(|_| Err("it hangs".into())).err()
    });
    let (seen, trace) = chance.report();
    Report { seen, trace, failure }
}

impl World {
    async fn live(plan: &Plan, chance: &Chance) -> Result<(), String> {
        let truth = Arc::new(MemoryLog::new().without_boxes_of(&Kind::BULKY.map(Kind::code)));
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

    /// Everything that runs beside the clients.
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

    /// No fault strikes any more: everything heals, and what was begun comes to its end.
    async fn end(self: &Arc<Self>) -> Result<(), String> {
        if let Some(failure) = self.failure() {
            return Err(failure);
        }
        self.processes.iter().for_each(|process| process.heal(self));
        // Whatever still commits has done so.
        tokio::time::sleep(Duration::from_secs(20)).await;
        let mut random = Random::branch(self.seed, 0);
        if random.once_in(4) {
            processes::come_to_rest(self, &mut random).await?;
        }
        clients::look_around(self).await?;
        projector::end(self).await?;
        webhooks::end(self).await?;
        self.witness().end()?;
        ledger::verify(&self.truth).await?;
        self.failure().map_or(Ok(()), Err)
    }

    /// What time it is, by a clock that is right.
    fn now_ms(&self) -> i64 {
        wall(self.begun, 0)
    }

    fn witness(&self) -> MutexGuard<'_, Witness> {
        self.witness.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first thing that was wrong.
    fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn fail(&self, what: String) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(what);
    }

    /// A number that no id had yet.
    fn fresh(&self) -> u128 {
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        *ids += 1;
        *ids
    }
}

/// The time by a clock that is `skew_ms` ahead.
fn wall(begun: Instant, skew_ms: i64) -> i64 {
    BEGIN_MS + i64::try_from(begun.elapsed().as_millis()).unwrap_or(i64::MAX) + skew_ms
}

/// The small bank, before anything can go wrong.
async fn open(truth: &Arc<MemoryLog>, witness: &mut Witness) -> Result<(), String> {
    let mut writer = DrivenWriter::new(truth.clone(), STATE_CACHE).await;
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
