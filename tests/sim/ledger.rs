//! The ledger under test: two of the engine's writers on one shard of a log in memory, and a reader that folds it.

use std::collections::HashMap;
use std::sync::Arc;

use daybook_checker::Verifier;
use daybook_domain::testing::fixture::PLATFORM;
use daybook_domain::{Command, Key, Kind, State, States, Timestamp};
use daybook_engine::{Call, DrivenWriter, STATE_CACHE_BYTES, SubmitError, Submitted};
use daybook_log::memory::MemoryLog;
use daybook_log::raw::{RawCommit, RawEvent};
use daybook_log::{Head, Log, Recorded, Shard};
use daybook_projector::RecordedEvent;
use sha2::{Digest, Sha256};
use tokio::runtime::Runtime;
use uuid::Uuid;

use crate::records::Records;

/// Index of a command in its batch, and its answer.
pub(crate) type Decided = (usize, Result<Submitted, SubmitError>);

/// Sizes of the writers' state caches. One writer keeps all states of a simulation, the other only a few, so that it
/// always reads states again.
const STATE_CACHES: [usize; 2] = [STATE_CACHE_BYTES, 2048];

/// The system under test.
pub(crate) struct Ledger<'a> {
    runtime: &'a Runtime,
    log: Arc<MemoryLog>,
    pub(crate) shard: Shard,
    writers: [DrivenWriter; 2],
    position: u64,
}

impl<'a> Ledger<'a> {
    /// Creates an empty log.
    pub(crate) fn log() -> Arc<MemoryLog> {
        Arc::new(MemoryLog::new().omit_boxes_of(&Kind::LARGE_PAYLOADS.map(Kind::code)))
    }

    /// Creates the writers of a shard of `log`.
    pub(crate) fn new(runtime: &'a Runtime, log: Arc<MemoryLog>, shard: Shard) -> Self {
        let writer = |cache| runtime.block_on(DrivenWriter::of(log.clone(), shard, cache));
        let writers = STATE_CACHES.map(writer);
        Self { runtime, log, shard, writers, position: 0 }
    }

    /// Lets one writer execute a batch. The answers are in the order of the decisions.
    pub(crate) fn submit(
        &mut self,
        writer: usize,
        at: Timestamp,
        batch: Vec<(Call, Command)>,
    ) -> Vec<Decided> {
        self.runtime.block_on(self.writers[writer].submit(at, batch))
    }

    /// Replaces a writer by a new one without any memory.
    pub(crate) fn restart(&mut self, writer: usize) {
        let cache = STATE_CACHES[writer];
        self.writers[writer] = self.runtime.block_on(DrivenWriter::of(self.log.clone(), self.shard, cache));
    }

    /// Returns the events since the previous call, decoded from the bytes in the log.
    pub(crate) fn news(&mut self) -> Result<Vec<RecordedEvent>, String> {
        let news = self.read(self.position)?;
        self.position += news.len() as u64;
        Ok(news)
    }

    /// Returns all events of the log.
    pub(crate) fn everything(&self) -> Result<Vec<RecordedEvent>, String> {
        self.read(0)
    }

    /// Verifies the log as `daybook log verify` does.
    pub(crate) fn verify(&self) -> Result<(), String> {
        self.runtime.block_on(verify(&self.log, self.shard))
    }

    fn read(&self, after: u64) -> Result<Vec<RecordedEvent>, String> {
        let recorded = self.runtime.block_on(self.log.read(self.shard, after, u64::MAX));
        let recorded = recorded.map_err(|error| error.to_string())?;
        recorded.iter().map(|it| RecordedEvent::decode(it).map_err(|error| format!("{error:?}"))).collect()
    }
}

/// Verifies a log as `daybook log verify` does. Findings mean a defect of the log or of the verification.
pub(crate) async fn verify(log: &MemoryLog, shard: Shard) -> Result<(), String> {
    let failed = |error: daybook_log::Error| error.to_string();
    let events = log.read(shard, 0, u64::MAX).await.map_err(failed)?;
    let mut verifier = Verifier::new();
    let mut ended = Head::default();
    for event in &events {
        let head = log.boundary(shard, event.position).await.map_err(failed)?;
        if head != ended {
            verifier.commits(&[commit(head)]);
            ended = head;
        }
    }
    verifier.page(shard, &events.into_iter().map(row).collect::<Vec<_>>(), &[]);
    let report = verifier.finish();
    if report.total == 0 { Ok(()) } else { Err(format!("a verification finds {:?}", report.findings)) }
}

/// Returns a commit as PostgreSQL stores it.
fn commit(head: Head) -> RawCommit {
    RawCommit {
        commit_no: head.commit_no,
        batch: Uuid::nil(),
        writer: Uuid::nil(),
        last_position: head.position,
        recorded_at_us: head.recorded_at_ms * 1_000,
        root: None,
        signature: None,
        frontier: None,
    }
}

/// Returns an event as PostgreSQL stores it.
fn row(recorded: Recorded) -> RawEvent {
    let event = recorded.event;
    RawEvent {
        position: recorded.position,
        event_id: event.event_id,
        stream: event.stream,
        stream_kind: event.stream_kind,
        version: i32::try_from(event.version).unwrap_or(i32::MAX),
        event_type: event.event_type,
        schema_version: event.schema_version,
        recorded_at_us: recorded.recorded_at_ms * 1_000,
        effective_at_us: event.effective_at_ms.map(|ms| ms * 1_000),
        actor: event.actor,
        cause_id: Some(event.cause_id),
        correlation_id: None,
        platform: event.platform,
        data: event.data,
        sealed: None,
        sealed_hash: event.sealed.map(|sealed| Sha256::digest(sealed).to_vec()),
    }
}

/// Fold of the log: states and versions of all aggregates.
#[derive(Clone, Default)]
pub(crate) struct Told {
    pub states: HashMap<Key, State>,
    pub versions: HashMap<Key, u32>,
    pub records: Records,
    pub position: u64,
}

impl States for Told {
    fn state(&self, key: Key) -> Option<&State> {
        self.states.get(&key)
    }
}

impl Told {
    /// Returns the milliseconds by which the platform's clock is ahead of the wall clock.
    pub(crate) fn ahead_ms(&self) -> i64 {
        self.platform(PLATFORM).map_or(0, |platform| platform.clock_ms)
    }

    /// Folds the next event. Positions and versions must have no gaps.
    pub(crate) fn fold(&mut self, happened: &RecordedEvent) -> Result<(), String> {
        let version = self.versions.entry(happened.key).or_default();
        if happened.position != self.position + 1 || happened.version != *version + 1 {
            return Err(format!("hole before {happened:?}: position {}, version {version}", self.position));
        }
        (self.position, *version) = (happened.position, happened.version);
        self.records.fold(happened);
        let folded = if let Some(state) = self.states.get_mut(&happened.key) {
            state.evolve(&happened.event, happened.effective_at)
        } else {
            State::begin(&happened.event, happened.effective_at)
                .map(|state| drop(self.states.insert(happened.key, state)))
        };
        folded.map_err(|error| format!("{error}: {happened:?}"))
    }
}
