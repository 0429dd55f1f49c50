//! The writer of a shard: one task that turns waiting commands into commits, in batches.
//!
//! States are read before the lock. Under the lock the writer catches up with other processes, decides and appends.
//! Only after the commit does it merge the overlay into the cache and send every answer. Refusals wait as well, because
//! a refusal may depend on a change in the same uncommitted batch. Several processes may run a writer for one shard:
//! the lock is the fence.

mod answer;
mod fair_queue;
mod read;
mod stopped;
#[cfg(feature = "testing")]
pub(crate) mod testing;

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

pub(crate) use answer::weight;
use answer::{AttemptError, Backoff, answer, attempt_error, give, refuse};
use daybook_domain::{Key, Timestamp};
use daybook_log::{Appender, Error as LogError, Head, Log, Position, Shard};
use daybook_pg::Causes;
use fair_queue::FairQueue;
pub(crate) use stopped::WriterStopReason;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tracing::{Instrument, Span};
use uuid::Uuid;

use crate::batch::{Decided, Decider, Outcomes, Pending};
use crate::cache::{Overlay, StateCache};
use crate::clock::Clock;
use crate::entropy::Entropy;
use crate::error::SubmitError;
use crate::heartbeat::{Component, Heartbeats};
use crate::metrics::WriterMetrics;

/// Maximum number of commands in one batch (`docs/adr/0049-a-batch-has-up-to-1024-commands.md`).
const MAX_COMMANDS_PER_BATCH: usize = 1024;
/// Maximum bytes of boxes in one batch.
const MAX_BYTES_PER_BATCH: usize = 1024 * 1024;
/// Maximum attempts to commit a batch while the log is unavailable. Then its commands fail.
const MAX_ATTEMPTS: u32 = 4;

/// Serves one shard until the queue is closed.
pub(crate) struct Writer {
    log: Arc<dyn Log>,
    shard: Shard,
    clock: Clock,
    entropy: Entropy,
    queue: mpsc::Receiver<Pending>,
    /// Calls received from the queue that are in no batch yet.
    line: FairQueue<Pending>,
    cache: StateCache,
    /// Position up to which the cache is current.
    position: Position,
    /// Streams of the current batch that this binary cannot decode, for example because a newer binary wrote to them.
    unreadable: HashSet<Key>,
    metrics: WriterMetrics,
    heartbeats: Heartbeats,
    /// Reason for stopping. It is set before the queue is closed, for callers that find the queue closed.
    stopped: Arc<OnceLock<WriterStopReason>>,
}

impl Writer {
    /// Creates a writer with an empty state.
    pub(crate) fn new(
        log: Arc<dyn Log>,
        shard: Shard,
        queue: mpsc::Receiver<Pending>,
        cache: StateCache,
        metrics: WriterMetrics,
    ) -> Self {
        let (unreadable, stopped) = (HashSet::new(), Arc::default());
        let (clock, entropy, position, line) = (Clock, Entropy, 0, FairQueue::default());
        let heartbeats = Heartbeats::default();
        Self {
            log,
            shard,
            clock,
            entropy,
            queue,
            line,
            cache,
            position,
            unreadable,
            metrics,
            heartbeats,
            stopped,
        }
    }

    /// Returns the same writer, which reports the result of its batches to `heartbeats`.
    pub(crate) fn reporting_to(self, heartbeats: Heartbeats) -> Self {
        Self { heartbeats, ..self }
    }

    /// Returns the cell that receives the reason for stopping.
    pub(crate) fn stopped(&self) -> Arc<OnceLock<WriterStopReason>> {
        Arc::clone(&self.stopped)
    }

    /// Serves waiting calls without delay, until no sender is left or the log is corrupt or replaced.
    pub(crate) async fn run(mut self) {
        let mut appender = self.appender().await;
        let mut carried = Vec::new();
        let stopped = loop {
            let mut batch = std::mem::take(&mut carried);
            if batch.is_empty() && self.line.is_empty() {
                let Some(first) = self.queue.recv().await else { return };
                self.stand_in_line(first);
            }
            self.fill(&mut batch);
            match self.serve(&mut *appender, batch).await {
                Ok(deferred) => carried = deferred,
                Err(stopped) => break stopped,
            }
            self.cache.trim();
        };
        tracing::error!(shard = self.shard, ?stopped, "the writer has stopped");
        self.stopped.get_or_init(|| stopped);
        self.queue.close();
        while let Some(pending) = self.line.pop() {
            answer(pending, Err(SubmitError::Unavailable));
        }
        while let Some(pending) = self.queue.recv().await {
            answer(pending, Err(SubmitError::Unavailable));
        }
    }

    /// Opens the log for appending. Retries until the log is available.
    async fn appender(&self) -> Box<dyn Appender> {
        let writer = Uuid::from_u128(self.entropy.ulid(self.clock.now()));
        let mut wait = Backoff::default();
        loop {
            match self.log.appender(self.shard, writer).await {
                Ok(appender) => return appender,
                Err(error) => tracing::warn!(
                    error = %Causes(&error),
                    "cannot open the log for appending"
                ),
            }
            wait.pause().await;
        }
    }

    /// Adds a call to the queue of its platform. Its cost is the number of its commands, or the size of its boxes if
    /// these fill a larger part of a batch.
    fn stand_in_line(&mut self, pending: Pending) {
        let bytes: usize = pending.commands().map(weight).sum();
        let much = pending.asked.len().max(bytes / (MAX_BYTES_PER_BATCH / MAX_COMMANDS_PER_BATCH));
        self.line.push(pending.platform(), much, pending);
    }

    /// Adds waiting calls, platforms in turn, up to the maximum size of a batch.
    fn fill(&mut self, batch: &mut Vec<Pending>) {
        while let Ok(pending) = self.queue.try_recv() {
            self.stand_in_line(pending);
        }
        let mut count: usize = batch.iter().map(|pending| pending.asked.len()).sum();
        let mut bytes: usize = batch.iter().flat_map(Pending::commands).map(weight).sum();
        while count < MAX_COMMANDS_PER_BATCH && bytes < MAX_BYTES_PER_BATCH {
            let Some(mut pending) = self.line.pop() else { break };
            pending.place.release_commands();
            count += pending.asked.len();
            bytes += pending.commands().map(weight).sum::<usize>();
            batch.push(pending);
        }
    }

    /// Serves a batch to its end. Returns the calls that must wait for states of the next batch.
    async fn serve(
        &mut self,
        appender: &mut dyn Appender,
        mut batch: Vec<Pending>,
    ) -> Result<Vec<Pending>, WriterStopReason> {
        let mut wait = Backoff::default();
        let mut is_stale = false;
        for _ in 0..MAX_ATTEMPTS {
            // A caller that stopped waiting must not be surprised by a later commit, so its call is dropped.
            batch.retain(|pending| !pending.reply.is_closed());
            let attempt_error = match self.attempt(appender, &batch).instrument(span_of(&batch)).await {
                Ok(outcomes) => {
                    let deferred = give(batch, outcomes);
                    daybook_fault::point("engine.after_answer");
                    return Ok(deferred);
                }
                Err(attempt_error) => attempt_error,
            };
            self.metrics.attempt_failed(attempt_error.name());
            match attempt_error {
                AttemptError::Later => is_stale = false,
                AttemptError::Full => {
                    is_stale = false;
                    self.heartbeats.event(Component::Disk, Some("the database has no room".into()));
                }
                AttemptError::Stale => {
                    self.cache.clear();
                    if batch.len() > 1 {
                        return self.serve_singly(appender, batch).await;
                    }
                    is_stale = true;
                }
                AttemptError::Corrupt => return Err(stop(batch, WriterStopReason::Corrupt)),
                AttemptError::Replaced => return Err(stop(batch, WriterStopReason::Replaced)),
            }
            wait.pause().await;
        }
        self.heartbeats.event(Component::Commits, Some("the last batch was not committed".into()));
        refuse(batch, || if is_stale { SubmitError::Failed } else { SubmitError::Unavailable });
        Ok(vec![])
    }

    /// Serves one call at a time, so that a call that cannot be appended does not fail the others.
    async fn serve_singly(
        &mut self,
        appender: &mut dyn Appender,
        batch: Vec<Pending>,
    ) -> Result<Vec<Pending>, WriterStopReason> {
        let mut deferred = Vec::new();
        for pending in batch {
            deferred.extend(Box::pin(self.serve(appender, vec![pending])).await?);
        }
        Ok(deferred)
    }

    /// Reads, locks, decides and appends. Returns the outcomes of each call, or none for a call that must wait.
    async fn attempt(
        &mut self,
        appender: &mut dyn Appender,
        batch: &[Pending],
    ) -> Result<Vec<Option<Outcomes>>, AttemptError> {
        if batch.is_empty() {
            return Ok(vec![]);
        }
        self.read_ahead(batch).await.map_err(attempt_error)?;
        let keys: Vec<_> = batch.iter().flat_map(Pending::keys).collect();
        let began = Instant::now();
        let locked = appender.lock(&keys, self.clock.now().ms()).instrument(step("lock")).await;
        let locked = locked.map_err(|error| attempt_error(error.into()))?;
        self.metrics.locked(batch.iter().map(|pending| pending.asked.len()).sum(), began.elapsed());
        if let Err(failure) = self.catch_up(appender, locked.head).await {
            self.release(appender).await;
            return Err(attempt_error(failure));
        }
        let began = Instant::now();
        let at = self.clock.now().max(Timestamp::from_ms(locked.head.recorded_at_ms));
        let mut decider = Decider::new(Overlay::new(&self.cache), locked.head, locked.used, at, self.entropy);
        let mut outcomes: Vec<_> = step("decide")
            .in_scope(|| batch.iter().map(|pending| decider.decide(pending, &self.unreadable)).collect());
        let Decided { changes, batch } = decider.finish();
        self.metrics.decided(began.elapsed());
        let Some(batch) = batch else {
            self.release(appender).await;
            return Ok(outcomes);
        };
        let (commit_no, id) = (locked.head.commit_no + 1, batch.id);
        daybook_fault::point("engine.before_append");
        let types: Vec<i16> = batch.events.iter().map(|event| event.event_type).collect();
        let began = Instant::now();
        let head = match appender.append(batch).instrument(step("commit")).await {
            Ok(head) => head,
            Err(LogError::Unknown(error)) => {
                tracing::warn!(error = %Causes(&*error), "the answer to a commit was lost");
                self.resolve(appender, commit_no, id).await?
            }
            Err(error) => return Err(attempt_error(error.into())),
        };
        self.metrics.committed(types, began.elapsed());
        self.heartbeats.event(Component::Disk, None);
        self.heartbeats.event(Component::Commits, None);
        Span::current().record("position", head.position);
        self.position = head.position;
        let signed = appender.signed();
        // Commands that changed nothing, and dry runs, are not in this commit.
        let answered = outcomes.iter_mut().flatten().flatten().flatten().flatten();
        for done in answered.filter(|done| done.is_recorded()) {
            done.signed.clone_from(&signed);
        }
        for (key, slot) in changes {
            self.cache.put(key, slot);
        }
        Ok(outcomes)
    }

    /// Finds out if the commit with the lost answer exists. Retries until the log answers, because the next decision
    /// depends on it.
    async fn resolve(
        &self,
        appender: &mut dyn Appender,
        commit_no: u64,
        batch: Uuid,
    ) -> Result<Head, AttemptError> {
        let mut wait = Backoff::default();
        loop {
            match appender.resolve(commit_no, batch).await {
                Ok(Some(head)) => {
                    self.metrics.resolved(true);
                    return Ok(head);
                }
                Ok(None) => {
                    self.metrics.resolved(false);
                    return Err(AttemptError::Later);
                }
                Err(LogError::Corrupt { .. }) => return Err(AttemptError::Corrupt),
                Err(LogError::Replaced { .. }) => return Err(AttemptError::Replaced),
                Err(error) => tracing::warn!(
                    error = %Causes(&error),
                    commit_no,
                    "cannot look up a commit yet"
                ),
            }
            wait.pause().await;
        }
    }

    async fn release(&self, appender: &mut dyn Appender) {
        if let Err(error) = appender.release().await {
            // The lock ends with the connection. The next batch opens a new one.
            tracing::warn!(error = %Causes(&error), "cannot release the lock");
        }
    }
}

/// Answers the last batch of a writer that stops.
fn stop(batch: Vec<Pending>, stopped: WriterStopReason) -> WriterStopReason {
    refuse(batch, || SubmitError::Unavailable);
    stopped
}

/// Returns the tracing span of a batch: child of the first caller's span, with links to the others.
fn span_of(batch: &[Pending]) -> Span {
    let Some((first, others)) = batch.split_first() else { return Span::none() };
    let span = tracing::debug_span!(
        target: "daybook::trace",
        parent: &first.span,
        "batch",
        calls = batch.len(),
        position = tracing::field::Empty
    );
    for other in others {
        span.follows_from(&other.span);
    }
    span
}

/// Returns the tracing span of a step of a batch.
fn step(name: &'static str) -> Span {
    tracing::debug_span!(target: "daybook::trace", "step", otel.name = name)
}
