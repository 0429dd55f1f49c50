//! In-memory log for tests and simulations, with the semantics of the log in PostgreSQL.
//!
//! It uses no disk and no network, so it never returns [`Error::Unavailable`] or [`Error::Unknown`] by itself. A test
//! that needs these errors wraps the log. A shard is created when it is first named.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use tokio::sync::{OwnedMutexGuard, watch};
use uuid::Uuid;

use crate::heads::Heads;
use crate::key::LIFETIME_MS;
use crate::{
    Appender, AsOf, Batch, Error, EventLocation, Head, Key, Locked, Log, PAGE, Position, Recorded, Shard,
    Span, StreamId, StreamKind, UsedKey,
};

/// A log in memory. Its content is lost when the process ends.
#[derive(Debug, Default)]
pub struct MemoryLog {
    shards: Mutex<HashMap<Shard, Arc<ShardLog>>>,
    heads: Arc<Heads>,
    boxless: Arc<[StreamKind]>,
}

#[derive(Debug, Default)]
struct ShardLog {
    /// The shard's lock, held from lock to append. Readers do not take it.
    fence: Arc<tokio::sync::Mutex<()>>,
    facts: Mutex<Facts>,
}

/// Committed events, commits and keys of one shard.
#[derive(Debug, Default)]
struct Facts {
    events: Vec<Recorded>,
    commits: Vec<(Uuid, Head)>,
    /// Index into `events`, by stream and version.
    streams: BTreeMap<(StreamId, u32), usize>,
    keys: HashMap<Key, UsedKey>,
}

impl MemoryLog {
    /// Creates an empty log.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the same log, configured to omit the boxes of streams of `kinds` from pages of positions.
    #[must_use]
    pub fn omit_boxes_of(self, kinds: &[StreamKind]) -> Self {
        Self { boxless: kinds.into(), ..self }
    }

    fn shard(&self, shard: Shard) -> Arc<ShardLog> {
        let mut shards = self.shards.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(shards.entry(shard).or_default())
    }
}

impl ShardLog {
    fn facts(&self) -> MutexGuard<'_, Facts> {
        // A panic can only happen before anything is changed: see `Facts::append`.
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Log for MemoryLog {
    async fn appender(&self, shard: Shard, _writer: Uuid) -> Result<Box<dyn Appender>, Error> {
        let (heads, boxless) = (Arc::clone(&self.heads), Arc::clone(&self.boxless));
        Ok(Box::new(MemoryAppender { log: self.shard(shard), heads, boxless, shard, fence: None }))
    }

    async fn head(&self, shard: Shard) -> Result<Head, Error> {
        Ok(self.shard(shard).facts().head())
    }

    async fn read(&self, shard: Shard, after: Position, up_to: Position) -> Result<Vec<Recorded>, Error> {
        Ok(self.shard(shard).facts().page(after, up_to, &self.boxless))
    }

    async fn boundary(&self, shard: Shard, position: Position) -> Result<Head, Error> {
        let shard = self.shard(shard);
        let facts = shard.facts();
        let count = facts.commits.partition_point(|(_, head)| head.position <= position);
        Ok(facts.commits[..count].last().map_or_else(Head::default, |(_, head)| *head))
    }

    async fn position_at(&self, shard: Shard, time_ms: i64) -> Result<Position, Error> {
        let shard = self.shard(shard);
        let facts = shard.facts();
        let count = facts.commits.partition_point(|(_, head)| head.recorded_at_ms <= time_ms);
        Ok(facts.commits[..count].last().map_or(0, |(_, head)| head.position))
    }

    async fn streams(&self, shard: Shard, streams: &[(StreamId, u32)]) -> Result<Vec<Recorded>, Error> {
        let shard = self.shard(shard);
        let facts = shard.facts();
        let mut streams = streams.to_vec();
        streams.sort_unstable();
        let after = |(stream, version): (StreamId, u32)| match version.checked_add(1) {
            Some(first) => facts.streams.range((stream, first)..=(stream, u32::MAX)),
            None => facts.streams.range((stream, version)..(stream, version)),
        };
        Ok(streams.into_iter().flat_map(after).map(|(_, &index)| facts.events[index].clone()).collect())
    }

    async fn stream_page(
        &self,
        shard: Shard,
        stream: StreamId,
        after: u32,
        limit: u32,
    ) -> Result<Vec<Recorded>, Error> {
        let shard = self.shard(shard);
        let facts = shard.facts();
        Ok(facts.versions(stream, after, limit.min(PAGE)).cloned().collect())
    }

    async fn last(&self, shard: Shard, streams: &[StreamId]) -> Result<Vec<Recorded>, Error> {
        let shard = self.shard(shard);
        let facts = shard.facts();
        let mut streams = streams.to_vec();
        streams.sort_unstable();
        let last = |stream| facts.streams.range((stream, 0)..=(stream, u32::MAX)).next_back();
        Ok(streams.into_iter().filter_map(last).map(|(_, &index)| facts.events[index].clone()).collect())
    }

    async fn last_as_of(
        &self,
        shard: Shard,
        streams: &[AsOf],
        reach: u32,
    ) -> Result<Vec<Option<Recorded>>, Error> {
        let shard = self.shard(shard);
        let facts = shard.facts();
        let last = |&AsOf { stream, after, position }: &AsOf| {
            facts
                .versions(stream, after, reach)
                .take_while(|event| event.position <= position)
                .last()
                .cloned()
        };
        Ok(streams.iter().map(last).collect())
    }

    async fn of_type(
        &self,
        shard: Shard,
        event_type: i16,
        after: Position,
    ) -> Result<Vec<EventLocation>, Error> {
        let shard = self.shard(shard);
        let facts = shard.facts();
        let later = facts.events.iter().skip(index(after));
        let found = later.filter(|found| found.event.event_type == event_type);
        Ok(found
            .map(|found| EventLocation { position: found.position, stream: found.event.stream })
            .collect())
    }

    async fn of_platform(
        &self,
        shard: Shard,
        platform: Uuid,
        kinds: &[StreamKind],
        Span { after, up_to }: Span,
        limit: u32,
    ) -> Result<Vec<Recorded>, Error> {
        let shard = self.shard(shard);
        let facts = shard.facts();
        let range = facts.events.iter().skip(index(after)).take_while(|found| found.position <= up_to);
        let theirs = range
            .filter(|found| found.event.platform == platform && kinds.contains(&found.event.stream_kind));
        Ok(theirs.take(usize::try_from(limit.min(PAGE)).unwrap_or(usize::MAX)).cloned().collect())
    }

    async fn used_keys(&self, shard: Shard, keys: &[Key], now_ms: i64) -> Result<Vec<UsedKey>, Error> {
        Ok(self.shard(shard).facts().used_of(keys, now_ms))
    }

    async fn purge_keys(&self, shard: Shard, now_ms: i64) -> Result<u64, Error> {
        let shard = self.shard(shard);
        let mut facts = shard.facts();
        let before = facts.keys.len();
        facts.keys.retain(|_, used| used.recorded_at_ms > now_ms - 2 * LIFETIME_MS);
        Ok((before - facts.keys.len()) as u64)
    }

    fn watch(&self, shard: Shard) -> watch::Receiver<Position> {
        self.heads.watch(shard)
    }

    fn observe(&self, shard: Shard, position: Position) {
        self.heads.tell(shard, position);
    }

    fn unchanged_since(&self, shard: Shard, head: Position, streams: &[(StreamId, Position)]) -> Vec<bool> {
        let shard = self.shard(shard);
        let facts = shard.facts();
        let last = |stream| facts.streams.range((stream, 0)..=(stream, u32::MAX)).next_back();
        let is_untouched = |(stream, position): &(StreamId, Position)| {
            head <= facts.head().position
                && last(*stream).is_none_or(|(_, &index)| facts.events[index].position <= *position)
        };
        streams.iter().map(is_untouched).collect()
    }
}

/// Append side of one shard.
#[derive(Debug)]
struct MemoryAppender {
    log: Arc<ShardLog>,
    heads: Arc<Heads>,
    boxless: Arc<[StreamKind]>,
    shard: Shard,
    fence: Option<OwnedMutexGuard<()>>,
}

#[async_trait]
impl Appender for MemoryAppender {
    async fn lock(&mut self, keys: &[Key], now_ms: i64) -> Result<Locked, Error> {
        // A lock that this writer did not release must not block it.
        self.fence = None;
        self.fence = Some(Arc::clone(&self.log.fence).lock_owned().await);
        let facts = self.log.facts();
        Ok(Locked { head: facts.head(), used: facts.used_of(keys, now_ms) })
    }

    async fn read(&mut self, after: Position, up_to: Position) -> Result<Vec<Recorded>, Error> {
        if self.fence.is_none() {
            return Err(Error::not_locked());
        }
        Ok(self.log.facts().page(after, up_to, &self.boxless))
    }

    async fn append(&mut self, batch: Batch) -> Result<Head, Error> {
        let _fence = self.fence.take().ok_or_else(Error::not_locked)?;
        let head = self.log.facts().append(batch)?;
        self.heads.tell(self.shard, head.position);
        Ok(head)
    }

    async fn release(&mut self) -> Result<(), Error> {
        self.fence.take().map(drop).ok_or_else(Error::not_locked)
    }

    async fn resolve(&mut self, commit_no: u64, batch: Uuid) -> Result<Option<Head>, Error> {
        self.fence = None;
        let _fence = self.log.fence.lock().await;
        let facts = self.log.facts();
        Ok(facts
            .commits
            .iter()
            .find(|(id, head)| head.commit_no == commit_no && *id == batch)
            .map(|(_, head)| *head))
    }
}

impl Facts {
    /// Iterates over the events of `stream` with the versions `after + 1 ..= after + limit`.
    fn versions(&self, stream: StreamId, after: u32, limit: u32) -> impl Iterator<Item = &Recorded> {
        let found = self.streams.range((stream, after)..=(stream, after.saturating_add(limit)));
        found.filter(move |((_, version), _)| *version > after).map(|(_, &index)| &self.events[index])
    }

    fn head(&self) -> Head {
        self.commits.last().map_or_else(Head::default, |(_, head)| *head)
    }

    fn page(&self, after: Position, up_to: Position, boxless: &[StreamKind]) -> Vec<Recorded> {
        let last = after.saturating_add(u64::from(PAGE)).min(up_to);
        let mut page: Vec<_> =
            self.events.iter().skip(index(after)).take(index(last.saturating_sub(after))).cloned().collect();
        for found in page.iter_mut().filter(|found| boxless.contains(&found.event.stream_kind)) {
            found.event.sealed = None;
        }
        page
    }

    fn used(&self, key: &Key, now_ms: i64) -> Option<&UsedKey> {
        self.keys.get(key).filter(|used| used.recorded_at_ms > now_ms - LIFETIME_MS)
    }

    fn used_of(&self, keys: &[Key], now_ms: i64) -> Vec<UsedKey> {
        keys.iter().filter_map(|key| self.used(key, now_ms)).cloned().collect()
    }

    /// Validates the whole batch before it changes anything.
    fn append(&mut self, batch: Batch) -> Result<Head, Error> {
        let before = self.head();
        let head = batch.follow(before)?;
        let mut taken = HashSet::new();
        for event in &batch.events {
            let place = (event.stream, event.version);
            if self.streams.contains_key(&place) || !taken.insert(place) {
                return Err(Error::Conflict);
            }
        }
        let mut keys = HashSet::new();
        let free = |key| self.used(key, batch.recorded_at_ms).is_none();
        if !batch.keys.iter().all(|used| free(&used.key) && keys.insert(used.key)) {
            return Err(Error::Refused("a key is used already".into()));
        }

        for (position, event) in (before.position + 1..).zip(batch.events) {
            self.streams.insert((event.stream, event.version), self.events.len());
            self.events.push(Recorded { position, recorded_at_ms: head.recorded_at_ms, event });
        }
        for used in batch.keys {
            self.keys.insert(used.key, UsedKey { used, recorded_at_ms: head.recorded_at_ms });
        }
        self.commits.push((batch.id, head));
        Ok(head)
    }
}

/// Converts a position to an index. A position that does not fit is beyond the end.
fn index(position: Position) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}
