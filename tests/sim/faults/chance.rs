//! Chance of faults: a seed decides which kinds of faults a run has and how often each strikes. Faults that struck and
//! situations that occurred are counted.

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
    /// The lock was taken, but the answer to its taker is lost.
    LockLost,
    /// The append fails before COMMIT.
    Before,
    /// The log reports that another writer has appended.
    Conflict,
    /// The append is committed, but its answer is lost.
    UnknownDone,
    /// The answer is lost, and nothing was committed.
    UnknownNot,
    /// The answer is lost, and the server commits later.
    UnknownLate,
    /// The answer is lost, and the server rolls back later.
    UnknownNever,
    /// A commit cannot be looked up yet.
    Unresolved,
    /// A process ends at any point, and another one starts without any memory.
    Kill,
    /// A process sleeps, perhaps while it holds the lock.
    Sleep,
    /// The writer ends, while its process continues.
    WriterEnds,
    /// The server notices late that a process has ended.
    Ghost,
    /// A key is sent to two processes at the same time.
    Twice,
    /// A to-do is done by two processes, or twice.
    ToDoTwice,
    /// A process stops in the middle of its due work.
    HalfDone,
    /// The projector ends before its transaction is committed.
    RowsLost,
    /// The projector's transaction is committed, but its answer is lost.
    RowsUnknown,
    /// The process that adds events to lanes ends before its transaction is committed.
    LanesLost,
    /// Events were added to lanes, but the answer to the process is lost.
    LanesUnknown,
    /// A receiver refuses a call.
    CallRefused,
    /// A receiver accepts a call, but its answer is lost.
    CallUnknown,
    /// A caller sleeps for longer than it owns its lane.
    CallerSleeps,
}

impl Fault {
    /// All kinds of faults.
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

/// Situations that every run of many seeds must contain at least once; otherwise it proves nothing.
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
    /// Each kind of fault strikes in one of so many cases; never if 0.
    rates: [usize; Fault::ALL.len()],
    is_calm: bool,
    seen: Statistics,
    trace: DefaultHasher,
}

/// Faults of a run, shared by all of its parts.
#[derive(Clone)]
pub(crate) struct Chance(Arc<Mutex<Dice>>);

impl Chance {
    /// Creates the faults of `seed`, without the kinds in `spared`. About five of six other kinds are chosen, each with
    /// a random frequency.
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

    /// Turns faults off or on.
    pub(crate) fn be_calm(&self, is_calm: bool) {
        self.dice().is_calm = is_calm;
    }

    /// Returns true if `fault` strikes at this point.
    pub(crate) fn strikes(&self, fault: Fault) -> bool {
        let mut dice = self.dice();
        let rate = dice.rates[fault as usize];
        let strikes = rate > 0 && !dice.is_calm && dice.random.once_in(rate);
        if strikes {
            *dice.seen.entry(format!("fault {fault:?}")).or_default() += 1;
        }
        strikes
    }

    /// Counts one of [`SOMETIMES`].
    pub(crate) fn met(&self, what: &'static str) {
        debug_assert!(SOMETIMES.contains(&what), "{what}");
        self.count(&format!("met: {what}"));
    }

    /// Adds one to a count.
    pub(crate) fn count(&self, what: &str) {
        *self.dice().seen.entry(what.to_owned()).or_default() += 1;
    }

    /// Returns a random time up to `ms` milliseconds.
    pub(crate) fn up_to(&self, ms: usize) -> Duration {
        Duration::from_millis(self.dice().random.below(ms + 1) as u64)
    }

    /// Waits for a call to the log: a short time, or longer than any timeout.
    pub(crate) async fn linger(&self) {
        let late = if self.strikes(Fault::Delay) { self.up_to(8_000) } else { Duration::ZERO };
        sleep(self.up_to(3) + late).await;
    }

    /// Returns a random number below `end`.
    pub(crate) fn below(&self, end: usize) -> usize {
        self.dice().random.below(end)
    }

    /// Adds a value to the hash that identifies this run.
    pub(crate) fn trace(&self, what: &impl Hash) {
        what.hash(&mut self.dice().trace);
    }

    /// Returns the counts, and the hash that identifies this run.
    pub(crate) fn report(&self) -> (Statistics, u64) {
        let dice = self.dice();
        (dice.seen.clone(), dice.trace.finish())
    }
}
