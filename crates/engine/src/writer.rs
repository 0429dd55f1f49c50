//! The writer of a shard: one task that turns waiting commands into commits, a batch at a time.
//!
//! States are read before the lock. Under it: catch up with other processes, decide, append. After the commit, and
//! only then: merge the overlay into the cache and give every answer, refusals too, for one of them may rest on a hold
//! that was not committed yet. Several processes may run a writer for one shard: the lock is the fence.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use daybook_domain::{Command, Key, Kind, Timestamp};
use daybook_log::{Appender, Error as LogError, Head, Log, PAGE, Shard};
use daybook_projector::{Happened, Versioned, fold};
use tokio::sync::mpsc;
use uuid::Uuid;

use crate::batch::{Decided, Decider, Outcome, Pending};
use crate::cache::{Cache, Overlay, Slot};
use crate::clock::Clock;
use crate::entropy::Entropy;
use crate::error::{Failure, SubmitError};

/// The most commands of one batch.
const MAX_COMMANDS: usize = 256;
/// The most bytes of boxes in one batch.
const MAX_BYTES: usize = 1024 * 1024;
/// How often the needs of a batch are asked for: a command, what it names, what those name.
const ROUNDS: usize = 3;
/// How often a batch is tried again while the log is away, before its commands are told to come back.
const ATTEMPTS: u32 = 4;

/// Serves one shard until the queue is closed.
pub(crate) struct Writer {
    pub log: Arc<dyn Log>,
    pub shard: Shard,
    pub clock: Clock,
    pub entropy: Entropy,
    pub queue: mpsc::Receiver<Pending>,
    pub cache: Cache,
    /// The head that the cache is folded to.
    pub head: Head,
}

/// How a batch ended without a commit.
enum Setback {
    /// Nothing was appended; the same may work in a moment.
    Later,
    /// Nothing was appended, and what is cached may be wrong.
    Stale,
    /// Money does not guess.
    Corrupt,
}

impl Writer {
    /// Takes what waits, without lingering, until nobody can submit any more or the log turns out corrupt.
    pub(crate) async fn run(mut self) {
        let mut appender = self.appender().await;
        let mut carried = Vec::new();
        loop {
            let mut batch = std::mem::take(&mut carried);
            if batch.is_empty() {
                let Some(first) = self.queue.recv().await else { return };
                batch.push(first);
            }
            self.fill(&mut batch);
            match self.serve(&mut *appender, batch).await {
                Ok(deferred) => carried = deferred,
                Err(Stopped) => break,
            }
            self.cache.trim();
        }
        tracing::error!(shard = self.shard, "the writer has stopped: the log is corrupt");
        while let Some(pending) = self.queue.recv().await {
            answer(pending, Err(SubmitError::Failed));
        }
    }

    /// Opens the append side; waits for the log as long as it takes.
    async fn appender(&self) -> Box<dyn Appender> {
        let writer = Uuid::from_u128(self.entropy.ulid(self.clock.now()));
        let mut wait = Backoff::default();
        loop {
            match self.log.appender(self.shard, writer).await {
                Ok(appender) => return appender,
                Err(error) => tracing::warn!(%error, "cannot open the log for appending"),
            }
            wait.pause().await;
        }
    }

    /// Adds what waits in the queue, up to the size of a batch.
    fn fill(&mut self, batch: &mut Vec<Pending>) {
        let mut bytes: usize = batch.iter().map(|pending| weight(&pending.command)).sum();
        while batch.len() < MAX_COMMANDS && bytes < MAX_BYTES {
            let Ok(pending) = self.queue.try_recv() else { break };
            bytes += weight(&pending.command);
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
        for _ in 0..ATTEMPTS {
            // Whoever gave up waiting must not be surprised by what happens afterwards.
            batch.retain(|pending| !pending.reply.is_closed());
            match self.attempt(appender, &batch).await {
                Ok(outcomes) => return Ok(give(batch, outcomes)),
                Err(Setback::Later) => wait.pause().await,
                Err(Setback::Stale) => {
                    self.cache.clear();
                    if batch.len() > 1 {
                        return self.serve_singly(appender, batch).await;
                    }
                    wait.pause().await;
                }
                Err(Setback::Corrupt) => {
                    refuse(batch, || SubmitError::Failed);
                    return Err(Stopped);
                }
            }
        }
        refuse(batch, || SubmitError::Unavailable);
        Ok(vec![])
    }

    /// One command at a time, so that one that cannot be appended costs no other.
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

    /// Reads, locks, decides, appends. An outcome per command; none for one that has to wait.
    async fn attempt(
        &mut self,
        appender: &mut dyn Appender,
        batch: &[Pending],
    ) -> Result<Vec<Option<Outcome>>, Setback> {
        if batch.is_empty() {
            return Ok(vec![]);
        }
        self.read_ahead(batch).await.map_err(setback)?;
        let keys: Vec<_> = batch.iter().filter_map(|pending| pending.call.key).map(|(key, _)| key).collect();
        let locked =
            appender.lock(&keys, self.clock.now().ms()).await.map_err(|error| setback(error.into()))?;
        if let Err(failure) = self.catch_up(appender, locked.head).await {
            self.release(appender).await;
            return Err(setback(failure));
        }
        let at = self.clock.now().max(Timestamp::from_ms(locked.head.recorded_at_ms));
        let mut decider = Decider::new(Overlay::new(&self.cache), locked.head, locked.used, at, self.entropy);
        let mut outcomes = Vec::with_capacity(batch.len());
        for pending in batch {
            let is_ready = decider.is_ready(&pending.command);
            outcomes.push(is_ready.then(|| decider.decide(pending)));
        }
        let Decided { changes, batch } = decider.finish();
        let Some(batch) = batch else {
            self.release(appender).await;
            return Ok(outcomes);
        };
        let (commit_no, id) = (locked.head.commit_no + 1, batch.id);
        let head = match appender.append(batch).await {
            Ok(head) => head,
            Err(LogError::Unknown(error)) => {
                tracing::warn!(%error, "the answer to a commit was lost");
                self.resolve(appender, commit_no, id).await?
            }
            Err(error) => return Err(setback(error.into())),
        };
        self.head = head;
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
                Ok(Some(head)) => return Ok(head),
                Ok(None) => return Err(Setback::Later),
                Err(LogError::Corrupt { .. }) => return Err(Setback::Corrupt),
                Err(error) => tracing::warn!(%error, commit_no, "cannot look a commit up yet"),
            }
            wait.pause().await;
        }
    }

    async fn release(&self, appender: &mut dyn Appender) {
        if let Err(error) = appender.release().await {
            // The lock goes with the connection; the next batch opens another.
            tracing::warn!(%error, "cannot give the lock back");
        }
    }

    /// Reads the states that the batch looks at and the cache lacks, before the lock.
    async fn read_ahead(&mut self, batch: &[Pending]) -> Result<(), Failure> {
        for _ in 0..ROUNDS {
            let needs = {
                let overlay = Overlay::new(&self.cache);
                batch.iter().flat_map(|pending| pending.command.needs(&overlay)).collect::<HashSet<Key>>()
            };
            let missing: Vec<Key> = needs.into_iter().filter(|key| !self.cache.touch(*key)).collect();
            if missing.is_empty() {
                return Ok(());
            }
            self.read(&missing).await?;
        }
        Ok(())
    }

    /// Reads states into the cache: whole streams, but of an account only the last entry.
    async fn read(&mut self, keys: &[Key]) -> Result<(), Failure> {
        let (accounts, others): (Vec<Key>, Vec<Key>) = keys.iter().partition(|key| key.kind == Kind::Account);
        let streams: Vec<_> = others.iter().map(|key| (Uuid::from_u128(key.id), 0)).collect();
        let accounts: Vec<_> = accounts.iter().map(|key| Uuid::from_u128(key.id)).collect();
        let (streams, entries) =
            futures::try_join!(self.log.streams(self.shard, &streams), self.log.last(self.shard, &accounts))?;
        for key in keys {
            self.cache.put(*key, Slot::default());
        }
        let events = streams.iter().map(Happened::decode).collect::<Result<Vec<_>, _>>()?;
        for stream in events.chunk_by(|a, b| a.key == b.key) {
            if let Some(Versioned { version, state }) = fold(None, stream)? {
                self.cache.put(stream[0].key, Slot { version, state: Some(Arc::new(state)) });
            }
        }
        for entry in &entries {
            let last = Happened::decode(entry)?;
            let state = daybook_domain::State::begin(&last.event, last.recorded_at)?;
            self.cache.put(last.key, Slot { version: last.version, state: Some(Arc::new(state)) });
        }
        Ok(())
    }

    /// Folds what other processes appended since our head. Too much to read under the lock: forget everything.
    async fn catch_up(&mut self, appender: &mut dyn Appender, head: Head) -> Result<(), Failure> {
        if head.position < self.head.position {
            let what = format!("the head went back from {} to {}", self.head.position, head.position);
            return Err(LogError::Corrupt { position: head.position, what }.into());
        }
        if head.position - self.head.position > u64::from(PAGE) {
            self.cache.clear();
        } else if head.position > self.head.position {
            for recorded in appender.read(self.head.position, head.position).await? {
                self.cache.observe(&Happened::decode(&recorded)?)?;
            }
        }
        self.head = head;
        self.log.observe(self.shard, head.position);
        Ok(())
    }
}

/// The writer cannot go on.
struct Stopped;

/// Gives every answer; keeps the commands that have none.
fn give(batch: Vec<Pending>, outcomes: Vec<Option<Outcome>>) -> Vec<Pending> {
    let mut deferred = Vec::new();
    for (pending, outcome) in batch.into_iter().zip(outcomes) {
        match outcome {
            Some(outcome) => answer(pending, outcome),
            None => deferred.push(pending),
        }
    }
    deferred
}

/// Gives all the same answer.
fn refuse(batch: Vec<Pending>, error: impl Fn() -> SubmitError) {
    for pending in batch {
        answer(pending, Err(error()));
    }
}

fn answer(pending: Pending, outcome: Outcome) {
    // Whoever asked may have stopped waiting; what is done is done.
    let _ = pending.reply.send(outcome);
}

fn setback(failure: Failure) -> Setback {
    match failure {
        Failure::Log(LogError::Unavailable(error)) => {
            tracing::warn!(%error, "the log is unavailable");
            Setback::Later
        }
        Failure::Log(LogError::Conflict | LogError::Refused(_) | LogError::Unknown(_)) => {
            tracing::warn!(%failure, "a batch was not appended");
            Setback::Stale
        }
        Failure::Log(LogError::Corrupt { .. })
        | Failure::Misplaced(_)
        | Failure::Unread(_)
        | Failure::Read(_) => {
            tracing::error!(%failure, "the log cannot be trusted");
            Setback::Corrupt
        }
    }
}

/// About how many bytes a command adds to a batch: its boxes.
fn weight(command: &Command) -> usize {
    match command {
        Command::CreateUser(create) => {
            let contents = create.documents.iter().map(|(_, sealed)| sealed.bytes.len());
            create.profile.bytes.len() + contents.sum::<usize>()
        }
        Command::CreateNode(create) => create.details.bytes.len(),
        Command::CreateTransaction(create) => create.details.bytes.len(),
        Command::Receive(receive) => receive.details.bytes.len(),
        Command::Comment(comment) => comment.comment.bytes.len(),
        Command::OpenPlatform(_) | Command::VerifyUser(_) | Command::Advance(_) => 0,
    }
}

/// Longer and longer pauses, up to a second.
#[derive(Default)]
struct Backoff(u32);

impl Backoff {
    async fn pause(&mut self) {
        tokio::time::sleep(Duration::from_millis(20 << self.0.min(6)).min(Duration::from_secs(1))).await;
        self.0 += 1;
    }
}
