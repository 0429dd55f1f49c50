//! Writers of the shards. Each shard has a queue of its own, and a writer on a thread of its own. The writer starts with
//! the first call and ends when no call has come for a while, unless it was started before and stays.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, Weak};
use std::time::Duration;

use daybook_domain::Command;
use daybook_log::{Log, Shard};
use daybook_pg::Causes;
use tokio::sync::{mpsc, oneshot};
use tracing::Span;

use crate::batch::{BoundKey, Call, Outcomes, Pending};
use crate::cache::{CacheBudget, StateCache};
use crate::error::SubmitError;
use crate::heartbeat::Heartbeats;
use crate::metrics::Metrics;
use crate::queue_limiter::{BoxLimiter, QueueLimiter};
use crate::writer::{Writer, WriterStopReason};

/// Capacity of the channel to a writer, in calls. It is no smaller than the limit of [`QueueLimiter`], which refuses
/// first.
const QUEUE_CAPACITY: usize = 4096;

/// Time without a call after which the writer of a shard ends. The next call starts it again, with an empty cache.
const IDLE_END: Duration = Duration::from_mins(10);

/// Writers of all shards of a log.
pub(crate) struct Writers {
    log: Arc<dyn Log>,
    budget: CacheBudget,
    boxes: BoxLimiter,
    metrics: Metrics,
    heartbeats: Heartbeats,
    idle_end: Duration,
    /// Shards that had a call.
    shards: RwLock<BTreeMap<Shard, Arc<ShardQueue>>>,
}

/// Queue of a shard.
pub(crate) struct ShardQueue {
    limiter: QueueLimiter,
    /// Reason why the writer stopped for good. It is set before the channel is closed.
    stopped: Arc<OnceLock<WriterStopReason>>,
    /// Channel to the running writer; none while no writer runs.
    running: Mutex<Option<mpsc::Sender<Pending>>>,
}

impl Writers {
    /// Creates the writers of `log`, with `state_cache` bytes for the caches of all writers together. None runs yet.
    pub(crate) fn new(
        log: Arc<dyn Log>,
        state_cache: usize,
        metrics: Metrics,
        heartbeats: Heartbeats,
    ) -> Self {
        let (budget, boxes) = (CacheBudget::new(state_cache), BoxLimiter::default());
        Self { log, budget, boxes, metrics, heartbeats, idle_end: IDLE_END, shards: RwLock::default() }
    }

    /// Starts the writer of `shard` if none runs. It stays without calls, and keeps its cache.
    ///
    /// # Errors
    ///
    /// Fails if the operating system cannot start the thread.
    pub(crate) fn start(&self, shard: Shard) -> std::io::Result<()> {
        let queue = self.queue_of(shard);
        let mut running = queue.running();
        if running.is_none() {
            *running = Some(self.run(shard, &queue, None)?);
        }
        Ok(())
    }

    /// Puts calls that are decided together into the queue of `shard`. Their outcomes are sent to `reply`.
    ///
    /// # Errors
    ///
    /// [`SubmitError::Busy`] if the queue is full; [`SubmitError::Unavailable`] if the writer has stopped or cannot be
    /// started.
    pub(crate) fn submit(
        &self,
        shard: Shard,
        asked: Vec<(Call, Command)>,
        key: Option<BoundKey>,
        (reply, span): (oneshot::Sender<Outcomes>, Span),
    ) -> Result<(), SubmitError> {
        let queue = self.queue_of(shard);
        if queue.stopped.get().is_some() {
            return Err(SubmitError::Unavailable);
        }
        let place = queue.limiter.take(&asked).map_err(|full| self.busy(full))?;
        let pending = Pending { asked, key, reply, span, place };
        // Held until the call is in the channel: an idle writer ends under the same lock, and only with an empty channel.
        let mut running = queue.running();
        let sender = match &mut *running {
            Some(sender) => sender,
            None => running.insert(self.run(shard, &queue, Some(self.idle_end)).map_err(|error| {
                tracing::error!(shard, error = %Causes(&error), "cannot start the writer");
                SubmitError::Unavailable
            })?),
        };
        sender.try_send(pending).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => self.busy("queue"),
            mpsc::error::TrySendError::Closed(_) => SubmitError::Unavailable,
        })
    }

    /// Returns false if the writer of `shard` has stopped for good.
    pub(crate) fn is_writing(&self, shard: Shard) -> bool {
        let queue = self.queue_of(shard);
        queue.stopped.get().is_none() && !queue.running().as_ref().is_some_and(mpsc::Sender::is_closed)
    }

    /// Returns the reason why the writer of `shard` has stopped, if it gave one.
    pub(crate) fn stopped(&self, shard: Shard) -> Option<WriterStopReason> {
        self.queue_of(shard).stopped.get().copied()
    }

    /// Returns the number of commands that wait for the writer of `shard`, and its maximum.
    pub(crate) fn waiting(&self, shard: Shard) -> (usize, usize) {
        self.queue_of(shard).limiter.commands()
    }

    /// Returns true if the queues of all shards that had a call are full.
    pub(crate) fn are_full(&self) -> bool {
        let shards = self.shards.read().unwrap_or_else(PoisonError::into_inner);
        let is_full = |queue: &Arc<ShardQueue>| {
            let (waiting, most) = queue.limiter.commands();
            waiting >= most
        };
        !shards.is_empty() && shards.values().all(is_full)
    }

    fn queue_of(&self, shard: Shard) -> Arc<ShardQueue> {
        let known = self.shards.read().unwrap_or_else(PoisonError::into_inner).get(&shard).map(Arc::clone);
        known.unwrap_or_else(|| {
            let mut shards = self.shards.write().unwrap_or_else(PoisonError::into_inner);
            let limiter = || QueueLimiter::sharing(self.boxes.clone());
            let new =
                || ShardQueue { limiter: limiter(), stopped: Arc::default(), running: Mutex::default() };
            Arc::clone(shards.entry(shard).or_insert_with(|| Arc::new(new())))
        })
    }

    /// Starts a writer on a thread of its own, and returns the channel to it. The writer ends after `idle_end` without a
    /// call; without a value it stays.
    fn run(
        &self,
        shard: Shard,
        queue: &Arc<ShardQueue>,
        idle_end: Option<Duration>,
    ) -> std::io::Result<mpsc::Sender<Pending>> {
        let (sender, waiting) = mpsc::channel(QUEUE_CAPACITY);
        let cache = StateCache::sharing(&self.budget);
        let writer = Writer::new(self.log.clone(), shard, waiting, cache, self.metrics.writer.clone());
        let writer = writer.reporting_to(self.heartbeats.of(shard), Arc::clone(&queue.stopped));
        let idle_end = idle_end.map(|after| IdleEnd { after, queue: Arc::downgrade(queue) });
        let writer = writer.ending_after(idle_end);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let run = move || runtime.block_on(writer.run());
        std::thread::Builder::new().name(format!("writer-{shard}")).spawn(run)?;
        Ok(sender)
    }

    fn busy(&self, full: &'static str) -> SubmitError {
        self.metrics.refused(full);
        SubmitError::Busy
    }
}

impl ShardQueue {
    fn running(&self) -> MutexGuard<'_, Option<mpsc::Sender<Pending>>> {
        // A panic in another thread cannot leave a channel half stored.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// End of a writer that gets no calls.
pub(crate) struct IdleEnd {
    /// Time without a call after which the writer may end.
    pub(crate) after: Duration,
    queue: Weak<ShardQueue>,
}

impl IdleEnd {
    /// Takes the channel away from the writer if `is_empty` returns true. Returns true if the writer has to end. No call
    /// enters the channel between the two.
    pub(crate) fn ends(&self, is_empty: impl Fn() -> bool) -> bool {
        let Some(queue) = self.queue.upgrade() else { return true };
        let mut running = queue.running();
        let ends = is_empty();
        if ends {
            *running = None;
        }
        ends
    }
}
