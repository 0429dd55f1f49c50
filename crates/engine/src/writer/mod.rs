//! The writer of a shard: one task that turns waiting calls into commits, in batches.
//!
//! A *call* is one or several commands that were submitted together and get their answers together. A *batch* is the
//! calls that one commit records. For each batch the writer
//!
//! 1. reads the states that its cache lacks, before it takes the lock (`read.rs`),
//! 2. locks the shard's row, reads the head, and applies the events that other processes appended,
//! 3. decides the commands in order, on an overlay: the cache with the changes of earlier commands on top,
//! 4. appends events and idempotency keys as one commit,
//! 5. merges the overlay into the cache and answers every call.
//!
//! Refusals are answered in the last step as well, because a refusal may depend on a change of the same, uncommitted
//! batch. Several processes may run a writer for one shard: the row's lock lets one of them append at a time.

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
use tokio::time::{Instant, timeout};
use tracing::{Instrument, Span};
use uuid::Uuid;

use crate::batch::{Decided, Decider, Outcomes, Pending};
use crate::cache::{Overlay, StateCache};
use crate::clock::Clock;
use crate::entropy::Entropy;
use crate::error::SubmitError;
use crate::heartbeat::{Component, Heartbeats};
use crate::metrics::WriterMetrics;
use crate::writers::IdleEnd;

/// Maximum number of commands in one batch (`docs/adr/0049-a-batch-has-up-to-1024-commands.md`).
const MAX_COMMANDS_PER_BATCH: usize = 1024;
/// Maximum bytes of boxes in one batch.
const MAX_BYTES_PER_BATCH: usize = 1024 * 1024;
/// Maximum attempts to commit a batch. Then its calls are answered with an error.
const MAX_ATTEMPTS: u32 = 4;

/// Serves one shard until the queue is closed.
pub(crate) struct Writer {
    log: Arc<dyn Log>,
    shard: Shard,
    clock: Clock,
    entropy: Entropy,
    /// Calls as they arrive, in any order of platforms.
    queue: mpsc::Receiver<Pending>,
    /// Calls that were taken from the queue and are in no batch yet, ordered so that platforms take turns.
    line: FairQueue<Pending>,
    cache: StateCache,
    /// Position up to which the cache is current.
    position: Position,
    /// Streams of the current batch that this binary cannot decode, for example because a newer binary wrote to them.
    /// Only commands that read such a stream fail.
    unreadable: HashSet<Key>,
    metrics: WriterMetrics,
    heartbeats: Heartbeats,
    /// Reason for stopping. It is set before the queue is closed, for callers that find the queue closed.
    stopped: Arc<OnceLock<WriterStopReason>>,
    idle_end: Option<IdleEnd>,
}

impl Writer {
    /// Creates a writer that has read nothing of the log yet.
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
            idle_end: None,
        }
    }

    /// Returns the same writer, which reports the result of its batches to `heartbeats`, and the reason for stopping to
    /// `stopped`.
    pub(crate) fn reporting_to(
        self,
        heartbeats: Heartbeats,
        stopped: Arc<OnceLock<WriterStopReason>>,
    ) -> Self {
        Self { heartbeats, stopped, ..self }
    }

    /// Returns the same writer, which ends when it gets no calls, if there is an `idle_end`.
    pub(crate) fn ending_after(self, idle_end: Option<IdleEnd>) -> Self {
        Self { idle_end, ..self }
    }

    /// Serves waiting calls without waiting for more of them, until no sender is left, no call has come for a while, or
    /// the log is corrupt or replaced.
    pub(crate) async fn run(mut self) {
        let mut appender = self.appender().await;
        // Calls of the previous batch that lacked a state. They come first in the next batch, which reads that state.
        let mut carried = Vec::new();
        let stopped = loop {
            let mut batch = std::mem::take(&mut carried);
            if batch.is_empty() && self.line.is_empty() {
                let Some(first) = self.next().await else { return };
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

    /// Waits for the next call. Returns none if the writer has to end.
    async fn next(&mut self) -> Option<Pending> {
        let Some(idle_end) = &self.idle_end else { return self.queue.recv().await };
        loop {
            if let Ok(next) = timeout(idle_end.after, self.queue.recv()).await {
                return next;
            }
            if idle_end.ends(|| self.queue.is_empty()) {
                return None;
            }
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

    /// Puts a call into the fair queue, in the turn of its platform. Its cost is the number of its commands, or the
    /// size of its boxes if these fill a larger part of a batch.
    fn stand_in_line(&mut self, pending: Pending) {
        let bytes: usize = pending.commands().map(weight).sum();
        let much = pending.asked.len().max(bytes / (MAX_BYTES_PER_BATCH / MAX_COMMANDS_PER_BATCH));
        self.line.push(pending.platform(), much, pending);
    }

    /// Adds waiting calls to `batch`, platforms in turn, until it has the maximum size. The last call may exceed it.
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

    /// Serves a batch to its end: attempts it until it is committed, or answers its calls with an error. Returns the
    /// calls that lacked a state and must be in the next batch.
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
                    // A cached state may be wrong, or one call makes every append fail: the calls are served alone.
                    self.cache.clear();
                    if batch.len() > 1 {
                        return self.serve_singly(appender, batch).await;
                    }
                    is_stale = true;
                }
                AttemptError::Moved => {
                    self.cache.clear();
                    is_stale = false;
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

    /// Serves the calls of a batch one at a time, so that a call that cannot be appended does not fail the others.
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

    /// Reads, locks, decides and appends. Returns for each call its outcomes, or none if it lacked a state that has to
    /// be read before the next batch.
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
        // Another process may have a clock that is ahead. Times in the log never go back.
        let at = self.clock.now().max(Timestamp::from_ms(locked.head.recorded_at_ms));
        let mut decider = Decider::new(Overlay::new(&self.cache), locked.head, locked.used, at, self.entropy);
        let mut outcomes: Vec<_> = step("decide")
            .in_scope(|| batch.iter().map(|pending| decider.decide(pending, &self.unreadable)).collect());
        let Decided { changes, batch } = decider.finish();
        self.metrics.decided(began.elapsed());
        let Some(batch) = batch else {
            // Nothing is to be recorded: every command was refused, changed nothing or was a dry run.
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
        // The signed root is the base of the receipts. Commands that changed nothing, and dry runs, are not in this
        // commit. The four levels are: the option of a call, its result, its commands, and the result of each.
        let answered = outcomes.iter_mut().flatten().flatten().flatten().flatten();
        for done in answered.filter(|done| done.is_recorded()) {
            done.signed.clone_from(&signed);
        }
        for (key, slot) in changes {
            self.cache.put(key, slot);
        }
        Ok(outcomes)
    }

    /// Finds out if the commit whose answer was lost exists. Retries until the log answers, because the next decision
    /// depends on it. Returns the head of the commit, or [`AttemptError::Later`] if the batch was not committed.
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

    /// Releases the lock without a commit.
    async fn release(&self, appender: &mut dyn Appender) {
        if let Err(error) = appender.release().await {
            // The lock ends with the connection. The next batch opens a new one.
            tracing::warn!(error = %Causes(&error), "cannot release the lock");
        }
    }
}

/// Answers the calls of the last batch of a writer that stops, and returns the reason.
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
