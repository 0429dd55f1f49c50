//! Processes: each has a front end, the engine's own writer, a clock with an error, and a view of the log. A process
//! can end, sleep at any point, or lose its writer only.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use daybook_domain::{Command, Timestamp};
use daybook_engine::{Call, Clock, PolledWriter, SubmitError, Submitted};
use daybook_log::memory::MemoryLog;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use super::chance::{Chance, Fault};
use super::log::DistantLog;
use super::signal::Signal;
use super::{MAX_SKEW_MS, World, wall};

/// Maximum number of calls that wait for a writer.
const QUEUE_CAPACITY: usize = 6;
/// Timeout of a client.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(30);

/// A place for processes: when one ends, another one starts.
pub(crate) struct Process {
    life: Mutex<Life>,
    /// Number of calls in progress.
    calls: AtomicUsize,
}

/// A process.
struct Life {
    gate: Arc<Gate>,
    front: PolledWriter,
    log: Arc<DistantLog>,
    writer: JoinHandle<()>,
    end: Arc<Signal>,
}

/// Runs the code of a process: not while the process sleeps, and always with its clock.
struct Gate {
    begun: Instant,
    skew_ms: i64,
    sleepers: Mutex<Option<Vec<Waker>>>,
}

impl Gate {
    fn sleepers(&self) -> MutexGuard<'_, Option<Vec<Waker>>> {
        self.sleepers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sleeps(&self, context: &Context<'_>) -> bool {
        let mut sleepers = self.sleepers();
        let wakers = sleepers.as_mut().map(|wakers| wakers.push(context.waker().clone()));
        wakers.is_some()
    }

    fn wake(&self) {
        self.sleepers().take().into_iter().flatten().for_each(Waker::wake);
    }

    /// Runs `work` in the process.
    async fn run<T>(&self, work: impl Future<Output = T> + Send) -> T {
        let mut work: Pin<Box<dyn Future<Output = T> + Send>> = Box::pin(work);
        poll_fn(|context| {
            if self.sleeps(context) {
                return Poll::Pending;
            }
            Clock::stop(Timestamp::from_ms(wall(self.begun, self.skew_ms)));
            work.as_mut().poll(context)
        })
        .await
    }
}

impl Life {
    fn begin(truth: &Arc<MemoryLog>, chance: &Chance, begun: Instant) -> Self {
        let skew_ms = i64::try_from(chance.below(4_001)).unwrap_or_default() - MAX_SKEW_MS;
        let gate = Arc::new(Gate { begun, skew_ms, sleepers: Mutex::new(None) });
        let log = Arc::new(DistantLog::new(truth, chance));
        let (front, writer) = PolledWriter::new(log.clone(), QUEUE_CAPACITY);
        let own = gate.clone();
        let writer = tokio::spawn(async move { own.run(writer).await });
        Self { gate, front, log, writer, end: Arc::default() }
    }
}

impl Process {
    /// Starts a process without any memory.
    pub(crate) fn begin(truth: &Arc<MemoryLog>, chance: &Chance, begun: Instant) -> Self {
        Self { life: Mutex::new(Life::begin(truth, chance, begun)), calls: AtomicUsize::new(0) }
    }

    fn life(&self) -> MutexGuard<'_, Life> {
        self.life.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the log as this process sees it.
    pub(crate) fn log(&self) -> Arc<DistantLog> {
        self.life().log.clone()
    }

    /// Submits a command. Returns none if the process ended or the client's timeout expired.
    pub(crate) async fn ask(&self, call: Call, command: Command) -> Option<Result<Submitted, SubmitError>> {
        let (gate, front, end) = {
            let life = self.life();
            (life.gate.clone(), life.front.clone(), life.end.clone())
        };
        self.calls.fetch_add(1, Ordering::Relaxed);
        let answer = tokio::select! {
            biased;
            () = end.changed(0) => None,
            answer = gate.run(front.submit(call, command)) => Some(answer),
            () = sleep(CLIENT_TIMEOUT) => None,
        };
        self.calls.fetch_sub(1, Ordering::Relaxed);
        answer
    }

    /// Applies faults that can strike a process at any time.
    pub(crate) fn suffer(&self, world: &World) {
        let chance = &world.chance;
        let is_busy = self.calls.load(Ordering::Relaxed) > 0;
        let met = |what| {
            if is_busy {
                chance.met(what);
            }
        };
        if chance.strikes(Fault::Kill) {
            met("a process ended while calls were under way");
            self.end(world);
        } else if chance.strikes(Fault::Sleep) {
            met("a process fell asleep while calls were under way");
            self.fall_asleep(chance.up_to(40_000));
        } else if chance.strikes(Fault::WriterEnds) {
            met("a writer ended while calls were under way");
            self.life().writer.abort();
        }
    }

    fn end(&self, world: &World) {
        let new = Life::begin(&world.truth, &world.chance, world.begun);
        let old = std::mem::replace(&mut *self.life(), new);
        old.writer.abort();
        old.end.ring();
        old.gate.wake();
    }

    fn fall_asleep(&self, how_long: Duration) {
        let gate = self.life().gate.clone();
        let is_awake = gate.sleepers().is_none();
        if is_awake {
            *gate.sleepers() = Some(vec![]);
            tokio::spawn(async move {
                sleep(how_long).await;
                gate.wake();
            });
        }
    }

    /// Wakes the process, and restarts it if its writer has ended.
    pub(crate) fn heal(&self, world: &World) {
        self.life().gate.wake();
        let has_ended = self.life().writer.is_finished();
        if has_ended {
            self.end(world);
        }
    }
}
