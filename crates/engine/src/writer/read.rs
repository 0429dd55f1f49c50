//! What the writer knows before it decides: states read ahead of the lock, and what other processes appended since.

use std::sync::Arc;

use daybook_domain::{Key, Kind, State};
use daybook_log::{Appender, Error as LogError, Head, PAGE, Recorded};
use daybook_projector::{Happened, Versioned, fold};
use uuid::Uuid;

use super::Writer;
use crate::batch::Pending;
use crate::cache::{Overlay, Slot};
use crate::error::Failure;

/// How often the needs of a batch are asked for: a command, what it names, what those name.
const ROUNDS: usize = 3;

impl Writer {
    /// Reads the states that the batch looks at and the cache lacks, before the lock.
    pub(super) async fn read_ahead(&mut self, batch: &[Pending]) -> Result<(), Failure> {
        for made in batch.iter().filter_map(|pending| pending.command.makes()) {
            if !self.cache.touch(made) {
                self.cache.put(made, Slot::default());
            }
        }
        for _ in 0..ROUNDS {
            let mut missing: Vec<Key> = {
                let overlay = Overlay::new(&self.cache);
                batch.iter().flat_map(|pending| pending.command.needs(&overlay)).collect()
            };
            missing.retain(|key| !self.cache.touch(*key));
            missing.sort_unstable();
            missing.dedup();
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
            let state = State::begin(&last.event, last.recorded_at)?;
            self.cache.put(last.key, Slot { version: last.version, state: Some(Arc::new(state)) });
        }
        Ok(())
    }

    /// Folds what other processes appended since our head. Too much to read under the lock: forget everything.
    pub(super) async fn catch_up(&mut self, appender: &mut dyn Appender, head: Head) -> Result<(), Failure> {
        if head.position < self.head.position {
            let what = format!("the head went back from {} to {}", self.head.position, head.position);
            return Err(LogError::Corrupt { position: head.position, what }.into());
        }
        if head.position - self.head.position > u64::from(PAGE) {
            self.cache.clear();
        } else if head.position > self.head.position {
            for recorded in appender.read(self.head.position, head.position).await? {
                self.observe(&recorded);
            }
        }
        self.head = head;
        self.log.observe(self.shard, head.position);
        Ok(())
    }

    /// Folds another process's event. One that a newer binary wrote costs what is cached of its stream, not the writer.
    fn observe(&mut self, recorded: &Recorded) {
        let folded =
            Happened::decode(recorded).map_err(Failure::from).and_then(|event| self.cache.observe(&event));
        if let (Err(failure), Some(kind)) = (folded, Kind::from_code(recorded.event.stream_kind)) {
            tracing::warn!(%failure, position = recorded.position, "cannot fold another process's event");
            self.cache.forget(Key { kind, id: recorded.event.stream.as_u128() });
        }
    }
}
