//! What goes wrong, and when: a seed decides which kinds of faults a run has and how often each strikes. What struck, and
//! what was met on the way, is counted.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use daybook_random::Random;
use tokio::time::sleep;

use crate::history::Statistics;

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The log answers late.
    Delay,
    /// A read, or the wait for the lock, fails.
    Away,
    /// The lock was taken, and its taker never learns of it.
    LockLost,
    /// The append fails before COMMIT.
    Before,
    /// Another writer seems to have been faster.
    Conflict,
    /// Committed, and the answer is lost.
    UnknownDone,
    /// The answer is lost, and nothing was committed.
    UnknownNot,
    /// The answer is lost, and the server still commits.
    UnknownLate,
    /// The answer is lost, and the server rolls back later.
    UnknownNever,
    /// A commit cannot be looked up yet.
    Unresolved,
    /// A process ends at any point, and another begins that knows nothing.
    Kill,
    /// A process falls asleep, perhaps with the lock.
    Sleep,
    /// The writer ends, and its process does not.
    WriterEnds,
    /// A dead process's connection is not noticed for a while.
    Ghost,
    /// A key comes twice at once, to two processes.
    Twice,
    /// A to-do is done by two processes, or again.
    ToDoTwice,
    /// A process stops half way through what is due.
    HalfDone,
    /// The projector ends before its transaction does.
    RowsLost,
    /// The projector's transaction is committed, and it never learns of it.
    RowsUnknown,
    /// Whoever puts events into lanes ends before the transaction does.
    LanesLost,
    /// Events were put into lanes, and whoever did so never learns of it.
    LanesUnknown,
    /// A receiver does not take a call.
    CallRefused,
    /// A receiver takes a call, and its answer is lost.
    CallUnknown,
    /// Whoever calls falls asleep, longer than a lane is his.
    CallerSleeps,
}

impl Fault {
    /// All of them.
    pub(crate) const ALL: [Self; 24] = [
        Self::Delay,
        Self::Away,
        Self::LockLost,
        Self::Before,
        Self::Conflict,
        Self::UnknownDone,
        Self::UnknownNot,
        Self::UnknownLate,
        Self::UnknownNever,
        Self::Unresolved,
        Self::Kill,
        Self::Sleep,
        Self::WriterEnds,
        Self::Ghost,
        Self::Twice,
        Self::ToDoTwice,
        Self::HalfDone,
        Self::RowsLost,
        Self::RowsUnknown,
        Self::LanesLost,
        Self::LanesUnknown,
        Self::CallRefused,
        Self::CallUnknown,
        Self::CallerSleeps,
    ];
}

/// What every run of many seeds must have met at least once; else it proves nothing.
pub(crate) const SOMETIMES: [&str; 16] = [
    "a lost answer was resolved: committed",
    "a lost answer was resolved: not committed",
    "a lock was lost in a sleep",
    "a retry found its key used",
    "a key came again after its effect",
    "a retry was carried out",
    "a command was recorded and nobody was answered",
    "a process ended while calls were under way",
    "a process fell asleep while calls were under way",
    "a writer ended while calls were under way",
    "a call was told to come back",
    "a to-do had been done already",
    "another projector was faster",
    "an event was told twice",
    "a lane was given back too late",
    "everything came to rest",
];

struct Dice {
    random: Random,
    /// One in how many, for each kind; never if 0.
    rates: [usize; Fault::ALL.len()],
    is_calm: bool,
    seen: Statistics,
    trace: DefaultHasher,
}

/// The faults of a run; shared by all of its parts.
#[derive(Clone)]
pub(crate) struct Chance(Arc<Mutex<Dice>>);

impl Chance {
    /// Those of `seed`, but for kinds that `spared` names: of the others about two in three kinds, each rare or frequent.
    pub(crate) fn new(seed: u64, spared: &[Fault]) -> Self {
        let mut random = Random::branch(seed, u64::MAX);
        let mut rates = [0; Fault::ALL.len()];
        for (rate, fault) in rates.iter_mut().zip(Fault::ALL) {
            let chosen = random.one_of(&[0, 3, 6, 6, 12, 40]);
            *rate = if spared.contains(&fault) { 0 } else { chosen };
        }
        let (seen, trace) = (Statistics::new(), DefaultHasher::new());
        Self(Arc::new(Mutex::new(Dice { random, rates, is_calm: true, seen, trace })))
    }

    fn dice(&self) -> MutexGuard<'_, Dice> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on faults strike, or no longer.
    pub(crate) fn be_calm(&self, is_calm: bool) {
        self.dice().is_calm = is_calm;
    }

    /// Whether `fault` strikes here and now.
    pub(crate) fn strikes(&self, fault: Fault) -> bool {
        let mut dice = self.dice();
        let rate = dice.rates[fault as usize];
        let strikes = rate > 0 && !dice.is_calm && dice.random.once_in(rate);
        if strikes {
            *dice.seen.entry(format!("fault {fault:?}")).or_default() += 1;
        }
        strikes
    }

    /// One of [`SOMETIMES`] was met.
    pub(crate) fn met(&self, what: &'static str) {
        debug_assert!(SOMETIMES.contains(&what), "{what}");
        self.count(&format!("met: {what}"));
    }

    /// Counts something.
    pub(crate) fn count(&self, what: &str) {
        *self.dice().seen.entry(what.to_owned()).or_default() += 1;
    }

    /// A random time up to `ms`.
    pub(crate) fn up_to(&self, ms: usize) -> Duration {
        Duration::from_millis(self.dice().random.below(ms + 1) as u64)
    }

    /// A time as the way to the log takes it: little, or more than anybody waits.
    pub(crate) async fn linger(&self) {
        let late = if self.strikes(Fault::Delay) { self.up_to(8_000) } else { Duration::ZERO };
        sleep(self.up_to(3) + late).await;
    }

    /// A number from 0 up to `end`, without it.
    pub(crate) fn below(&self, end: usize) -> usize {
        self.dice().random.below(end)
    }

    /// Adds something to what tells this run from others.
    pub(crate) fn trace(&self, what: &impl Hash) {
        what.hash(&mut self.dice().trace);
    }

    /// What was counted, and what tells this run from others.
    pub(crate) fn report(&self) -> (Statistics, u64) {
        let dice = self.dice();
        (dice.seen.clone(), dice.trace.finish())
    }
}
