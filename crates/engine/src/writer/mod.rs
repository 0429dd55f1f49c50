//! The writer of a shard: one task that turns waiting commands into commits, a batch at a time.
//!
//! States are read before the lock. Under it: catch up with other processes, decide, append. After the commit, and
//! only then: merge the overlay into the cache and give every answer, refusals too, for one of them may rest on a hold
//! that was not committed yet. Several processes may run a writer for one shard: the lock is the fence.

mod answer;
mod line;
mod read;
mod stopped;
#[cfg(feature = "testing")]
pub(crate) mod testing;

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

pub(crate) use answer::weight;
use answer::{Backoff, Setback, answer, give, refuse, setback};
use daybook_domain::{Key, Timestamp};
use daybook_log::{Appender, Error as LogError, Head, Log, Position, Shard};
use daybook_pg::Causes;
use line::Line;
pub(crate) use stopped::Stopped;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tracing::{Instrument, Span};
use uuid::Uuid;

use crate::batch::{Decided, Decider, Outcomes, Pending};
use crate::cache::{Cache, Overlay};
use crate::clock::Clock;
use crate::entropy::Entropy;
use crate::error::SubmitError;
use crate::heartbeat::{Component, Heartbeats};
use crate::metrics::WriterMetrics;

/// The most commands of one batch (`docs/adr/0049-a-batch-has-up-to-1024-commands.md`).
const MAX_COMMANDS: usize = 1024;
/// The most bytes of boxes in one batch.
const MAX_BYTES: usize = 1024 * 1024;
/// How often a batch is tried again while the log is away, before its commands are told to come back.
const ATTEMPTS: u32 = 4;

/// Serves one shard until the queue is closed.
pub(crate) struct Writer {
    log: Arc<dyn Log>,
    shard: Shard,
    clock: Clock,
    entropy: Entropy,
    queue: mpsc::Receiver<Pending>,
    /// What came out of the queue and is in no batch yet.
    line: Line<Pending>,
    cache: Cache,
    /// The position that the cache is folded to.
    position: Position,
    /// Streams that this binary cannot read, say because a newer one wrote to them; asked for by the current batch.
    unreadable: HashSet<Key>,
    metrics: WriterMetrics,
    heartbeats: Heartbeats,
    /// Told before the queue is closed, to whoever finds it closed.
    stopped: Arc<OnceLock<Stopped>>,
}

impl Writer {
    /// A writer that knows nothing yet.
    pub(crate) fn new(
        log: Arc<dyn Log>,
        shard: Shard,
        queue: mpsc::Receiver<Pending>,
        cache: Cache,
        metrics: WriterMetrics,
    ) -> Self {
        let (unreadable, stopped) = (HashSet::new(), Arc::default());
        let (clock, entropy, position, line) = (Clock, Entropy, 0, Line::default());
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

    /// The same writer, which reports to `heartbeats` whether its batches are committed.
    pub(crate) fn reporting_to(self, heartbeats: Heartbeats) -> Self {
        Self { heartbeats, ..self }
    }

    /// Where it will say why it has stopped.
    pub(crate) fn stopped(&self) -> Arc<OnceLock<Stopped>> {
        Arc::clone(&self.stopped)
    }

    /// Takes what waits, without lingering, until nobody can submit any more or the log cannot be trusted.
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
        let stopped = *self.stopped.get_or_init(|| stopped);
        self.queue.close();
        while let Some(pending) = self.line.pop() {
            answer(pending, Err(stopped.answer()));
        }
        while let Some(pending) = self.queue.recv().await {
            answer(pending, Err(stopped.answer()));
        }
    }

    /// Opens the append side; waits for the log as long as it takes.
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

    /// Has a call wait for the turn of its platform: as much as its commands, or as their boxes where these are what a batch is
    /// full of.
    fn stand_in_line(&mut self, pending: Pending) {
        let bytes: usize = pending.commands().map(weight).sum();
        let much = pending.asked.len().max(bytes / (MAX_BYTES / MAX_COMMANDS));
        self.line.push(pending.platform(), much, pending);
    }

    /// Adds what waits, in turns of platforms, up to the size of a batch.
    fn fill(&mut self, batch: &mut Vec<Pending>) {
        while let Ok(pending) = self.queue.try_recv() {
            self.stand_in_line(pending);
        }
        let mut count: usize = batch.iter().map(|pending| pending.asked.len()).sum();
        let mut bytes: usize = batch.iter().flat_map(Pending::commands).map(weight).sum();
        while count < MAX_COMMANDS && bytes < MAX_BYTES {
            let Some(mut pending) = self.line.pop() else { break };
            pending.place.is_their_turn();
            count += pending.asked.len();
            bytes += pending.commands().map(weight).sum::<usize>();
            batch.push(pending);
        }
    }

    /// Carries a batch to its end; answers the commands that have to wait for states of the next one.
    async fn serve(
        &mut self,
        appender: &mut dyn Appender,
        mut batch: Vec<Pending>,
    ) -> Result<Vec<Pending>, Stopped> {
        let mut wait = Backoff::default();
        let mut is_stale = false;
        for _ in 0..ATTEMPTS {
            // Whoever gave up waiting must not be surprised by what happens afterwards.
            batch.retain(|pending| !pending.reply.is_closed());
            let setback = match self.attempt(appender, &batch).instrument(span_of(&batch)).await {
                Ok(outcomes) => {
                    let deferred = give(batch, outcomes);
                    daybook_fault::point("engine.after_answer");
                    return Ok(deferred);
                }
                Err(setback) => setback,
            };
            self.metrics.set_back(setback.name());
            match setback {
                Setback::Later => is_stale = false,
                Setback::Full => {
                    is_stale = false;
                    self.heartbeats.event(Component::Disk, Some("the database has no room".into()));
                }
                Setback::Stale => {
                    self.cache.clear();
                    if batch.len() > 1 {
                        return self.serve_singly(appender, batch).await;
                    }
                    is_stale = true;
                }
                Setback::Corrupt => return Err(Stopped::Corrupt.refuse(batch)),
                Setback::Replaced => return Err(Stopped::Replaced.refuse(batch)),
            }
            wait.pause().await;
        }
        self.heartbeats.event(Component::Commits, Some("the last batch was not committed".into()));
        refuse(batch, || if is_stale { SubmitError::Failed } else { SubmitError::Unavailable });
        Ok(vec![])
    }

    /// One call at a time, so that one that cannot be appended costs no other.
    async fn serve_singly(
        &mut self,
        appender: &mut dyn Appender,
        batch: Vec<Pending>,
    ) -> Result<Vec<Pending>, Stopped> {
        let mut deferred = Vec::new();
        for pending in batch {
            deferred.extend(Box::pin(self.serve(appender, vec![pending])).await?);
        }
        Ok(deferred)
    }

    /// Reads, locks, decides, appends. Outcomes of each call's commands; none for those that have to wait.
    async fn attempt(
        &mut self,
        appender: &mut dyn Appender,
        batch: &[Pending],
    ) -> Result<Vec<Option<Outcomes>>, Setback> {
        if batch.is_empty() {
            return Ok(vec![]);
        }
        self.read_ahead(batch).await.map_err(setback)?;
        let keys: Vec<_> = batch.iter().flat_map(Pending::keys).collect();
        let began = Instant::now();
        let locked = appender.lock(&keys, self.clock.now().ms()).instrument(step("lock")).await;
        let locked = locked.map_err(|error| setback(error.into()))?;
        self.metrics.locked(batch.iter().map(|pending| pending.asked.len()).sum(), began.elapsed());
        if let Err(failure) = self.catch_up(appender, locked.head).await {
            self.release(appender).await;
            return Err(setback(failure));
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
            Err(error) => return Err(setback(error.into())),
        };
        self.metrics.committed(types, began.elapsed());
        self.heartbeats.event(Component::Disk, None);
        self.heartbeats.event(Component::Commits, None);
        Span::current().record("position", head.position);
        self.position = head.position;
        let signed = appender.signed();
        // What was so already, or was only to be decided, is not in this commit.
        let answered = outcomes.iter_mut().flatten().flatten().flatten().flatten();
        for done in answered.filter(|done| done.is_recorded()) {
            done.signed.clone_from(&signed);
        }
        for (key, slot) in changes {
            self.cache.put(key, slot);
        }
        Ok(outcomes)
    }

    /// Whether the commit whose answer was lost is there. Asked until somebody knows: deciding on would be guessing.
    async fn resolve(
        &self,
        appender: &mut dyn Appender,
        commit_no: u64,
        batch: Uuid,
    ) -> Result<Head, Setback> {
        let mut wait = Backoff::default();
        loop {
            match appender.resolve(commit_no, batch).await {
                Ok(Some(head)) => {
                    self.metrics.resolved(true);
                    return Ok(head);
                }
                Ok(None) => {
                    self.metrics.resolved(false);
                    return Err(Setback::Later);
                }
                Err(LogError::Corrupt { .. }) => return Err(Setback::Corrupt),
                Err(LogError::Replaced { .. }) => return Err(Setback::Replaced),
                Err(error) => tracing::warn!(
                    error = %Causes(&error),
                    commit_no,
                    "cannot look a commit up yet"
                ),
            }
            wait.pause().await;
        }
    }

    async fn release(&self, appender: &mut dyn Appender) {
        if let Err(error) = appender.release().await {
            // The lock goes with the connection; the next batch opens another.
            tracing::warn!(error = %Causes(&error), "cannot give the lock back");
        }
    }
}

/// In which a batch is served: below the first who asked, and with links to the others.
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

/// A part of a batch.
fn step(name: &'static str) -> Span {
    tracing::debug_span!(target: "daybook::trace", "step", otel.name = name)
}
