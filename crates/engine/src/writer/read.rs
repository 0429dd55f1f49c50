//! States for a decision: loaded before the lock, and updated with events of other processes.

use daybook_domain::{Decide, Key, Kind, State};
use daybook_log::{Appender, Error as LogError, Head, PAGE, Position, Recorded};
use daybook_pg::Causes;
use daybook_projector::{RecordedEvent, Versioned, fold};
use tracing::field::display;
use uuid::Uuid;

use super::Writer;
use crate::batch::Pending;
use crate::cache::{Overlay, Slot};
use crate::error::Failure;

/// Rounds of loading for a batch: the aggregates that a command names, then those that these name, and so on.
const MAX_ROUNDS: usize = 3;

/// Maximum number of other processes' events that are read while the lock is held.
const MAX_EVENTS_READ_UNDER_LOCK: u64 = 256;

impl Writer {
    /// Loads the states that the batch reads and the cache lacks, before the lock.
    pub(super) async fn read_ahead(&mut self, batch: &[Pending]) -> Result<(), Failure> {
        self.tail().await;
        self.unreadable.clear();
        let made = batch.iter().flat_map(Pending::commands).flat_map(|command| {
            command.creates().into_iter().chain(command.attachments().iter().map(|new| new.id.into()))
        });
        for made in made {
            if !self.cache.touch(made) {
                self.cache.put(made, Slot::default());
            }
        }
        for _ in 0..MAX_ROUNDS {
            let missing = self.missing(batch);
            if missing.is_empty() {
                return Ok(());
            }
            self.read(&missing).await?;
        }
        Ok(())
    }

    /// Returns the keys that the batch is known to read and the cache lacks, sorted and without duplicates.
    fn missing(&mut self, batch: &[Pending]) -> Vec<Key> {
        let Self { cache, unreadable, .. } = self;
        let mut missing = vec![];
        for command in batch.iter().flat_map(Pending::commands) {
            let needs = command.needs(&Overlay::new(cache));
            missing.extend(needs.into_iter().filter(|key| !cache.touch(*key) && !unreadable.contains(key)));
        }
        missing.sort_unstable();
        missing.dedup();
        missing
    }

    /// Loads states into the cache: whole streams, or only the last event if it contains the whole state. `keys` are
    /// sorted.
    async fn read(&mut self, keys: &[Key]) -> Result<(), Failure> {
        let (accounts, others): (Vec<Key>, Vec<Key>) =
            keys.iter().partition(|key| key.kind.last_event_is_state());
        let streams: Vec<_> = others.iter().map(|key| (Uuid::from_u128(key.id), 0)).collect();
        let accounts: Vec<_> = accounts.iter().map(|key| Uuid::from_u128(key.id)).collect();
        let (streams, entries) =
            futures::try_join!(self.log.streams(self.shard, &streams), self.log.last(self.shard, &accounts))?;
        self.metrics.read(keys.len());
        for key in keys {
            self.cache.put(*key, Slot::default());
        }
        for events in streams.chunk_by(|a, b| a.event.stream == b.event.stream) {
            self.keep(keys, events, whole_stream);
        }
        for entry in entries.chunks(1) {
            self.keep(keys, entry, last_entry);
        }
        Ok(())
    }

    /// Caches the state that `fold` makes of a stream's events. If this binary cannot decode them, the stream counts as
    /// unreadable.
    fn keep(&mut self, keys: &[Key], events: &[Recorded], fold: fn(&[Recorded]) -> Result<Slot, Failure>) {
        let Some(Recorded { event, .. }) = events.first() else { return };
        let Some(kind) = Kind::from_code(event.stream_kind) else { return };
        let key = Key { kind, id: event.stream.as_u128() };
        // The id may belong to a stream of another kind, which was not requested.
        if keys.binary_search(&key).is_err() {
            return;
        }
        match fold(events) {
            Ok(slot) => self.cache.put(key, slot),
            Err(failure) => {
                let failure = display(Causes(&failure));
                tracing::error!(failure, ?key, "a stream cannot be read");
                self.cache.forget(key);
                self.unreadable.insert(key);
            }
        }
    }

    /// Applies events that other processes are known to have appended, before the lock.
    async fn tail(&mut self) {
        let known = *self.log.watch(self.shard).borrow();
        if known > self.position {
            let events = match known - self.position {
                behind if behind <= u64::from(PAGE) => {
                    self.log.read(self.shard, self.position, known).await.ok()
                }
                _ => None,
            };
            self.follow(events, known);
        }
    }

    /// Applies the remaining events of other processes, under the lock.
    pub(super) async fn catch_up(&mut self, appender: &mut dyn Appender, head: Head) -> Result<(), Failure> {
        if head.position < self.position {
            let what = format!("the head went back from {} to {}", self.position, head.position);
            return Err(LogError::Corrupt { position: head.position, what }.into());
        }
        if head.position > self.position {
            let events = match head.position - self.position {
                behind if behind <= MAX_EVENTS_READ_UNDER_LOCK => {
                    Some(appender.read(self.position, head.position).await?)
                }
                _ => None,
            };
            self.follow(events, head.position);
        }
        self.log.observe(self.shard, head.position);
        Ok(())
    }

    /// Applies `events` up to `position`. Without events the whole cache is dropped, which is always correct.
    fn follow(&mut self, events: Option<Vec<Recorded>>, position: Position) {
        match events {
            Some(events) => events.iter().for_each(|recorded| self.observe(recorded)),
            None => self.cache.clear(),
        }
        self.position = position;
    }

    /// Applies an event of another process. If a newer binary wrote it, only the cached state of its stream is dropped.
    fn observe(&mut self, recorded: &Recorded) {
        let folded = RecordedEvent::decode(recorded)
            .map_err(Failure::from)
            .and_then(|event| self.cache.observe(&event));
        if let (Err(failure), Some(kind)) = (folded, Kind::from_code(recorded.event.stream_kind)) {
            tracing::warn!(
                failure = %Causes(&failure),
                position = recorded.position,
                "cannot apply an event of another process"
            );
            self.cache.forget(Key { kind, id: recorded.event.stream.as_u128() });
        }
    }
}

/// Returns the state after all events of a stream.
fn whole_stream(events: &[Recorded]) -> Result<Slot, Failure> {
    let events = events.iter().map(RecordedEvent::decode).collect::<Result<Vec<_>, _>>()?;
    let folded = fold(None, &events)?;
    Ok(folded.map_or_else(Slot::default, |Versioned { version, state }| Slot { version, state: Some(state) }))
}

/// Returns the state of an account after its last entry.
fn last_entry(events: &[Recorded]) -> Result<Slot, Failure> {
    let Some(last) = events.last().map(RecordedEvent::decode).transpose()? else {
        return Ok(Slot::default());
    };
    let state = State::begin(&last.event, last.effective_at)?;
    Ok(Slot { version: last.version, state: Some(state) })
}
