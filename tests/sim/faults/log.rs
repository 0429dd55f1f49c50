//! The log as one process sees it: every call may be late or lost, and the process has a memory of recent events of its
//! own.

use std::sync::Arc;

use async_trait::async_trait;
use daybook_log::memory::MemoryLog;
use daybook_log::testing::LogCaches;
use daybook_log::{
    Appender, AsOf, Error, EventLocation, Head, Key, Log, Position, Recorded, Shard, Span, StreamId,
    StreamKind, UsedKey,
};
use tokio::sync::watch;
use uuid::Uuid;

use super::chance::{Chance, Fault};
use super::session::Session;

/// A process's view of the common log.
pub(crate) struct DistantLog {
    truth: Arc<MemoryLog>,
    chance: Chance,
    remembered: Arc<LogCaches>,
}

impl DistantLog {
    /// Creates the view of a process that starts.
    pub(crate) fn new(truth: &Arc<MemoryLog>, chance: &Chance) -> Self {
        Self { truth: truth.clone(), chance: chance.clone(), remembered: Arc::default() }
    }

    /// Simulates a call to the log, which may be late or fail.
    async fn way(&self) -> Result<(), Error> {
        self.chance.linger().await;
        if self.chance.strikes(Fault::Away) { Err(away()) } else { Ok(()) }
    }
}

/// Returns the error for an unavailable log.
pub(super) fn away() -> Error {
    Error::Unavailable("a fault of the simulation".into())
}

#[async_trait]
impl Log for DistantLog {
    async fn appender(&self, shard: Shard, writer: Uuid) -> Result<Box<dyn Appender>, Error> {
        self.way().await?;
        let (truth, chance, remembered) = (self.truth.clone(), self.chance.clone(), self.remembered.clone());
        Ok(Box::new(Session::new(truth, chance, remembered, (shard, writer))))
    }

    async fn head(&self, shard: Shard) -> Result<Head, Error> {
        self.way().await?;
        self.truth.head(shard).await
    }

    async fn read(&self, shard: Shard, after: Position, up_to: Position) -> Result<Vec<Recorded>, Error> {
        if let Some(events) = self.remembered.events(shard, after, up_to) {
            return Ok(events);
        }
        self.way().await?;
        self.truth.read(shard, after, up_to).await
    }

    async fn boundary(&self, shard: Shard, position: Position) -> Result<Head, Error> {
        self.way().await?;
        self.truth.boundary(shard, position).await
    }

    async fn position_at(&self, shard: Shard, time_ms: i64) -> Result<Position, Error> {
        self.way().await?;
        self.truth.position_at(shard, time_ms).await
    }

    async fn streams(&self, shard: Shard, streams: &[(StreamId, u32)]) -> Result<Vec<Recorded>, Error> {
        self.way().await?;
        let found = self.truth.streams(shard, streams).await;
        // The answer may be outdated when it arrives.
        self.chance.linger().await;
        found
    }

    async fn stream_page(
        &self,
        shard: Shard,
        stream: StreamId,
        after: u32,
        limit: u32,
    ) -> Result<Vec<Recorded>, Error> {
        self.way().await?;
        self.truth.stream_page(shard, stream, after, limit).await
    }

    async fn last(&self, shard: Shard, streams: &[StreamId]) -> Result<Vec<Recorded>, Error> {
        self.way().await?;
        let found = self.truth.last(shard, streams).await;
        self.chance.linger().await;
        found
    }

    async fn last_as_of(
        &self,
        shard: Shard,
        streams: &[AsOf],
        reach: u32,
    ) -> Result<Vec<Option<Recorded>>, Error> {
        self.way().await?;
        self.truth.last_as_of(shard, streams, reach).await
    }

    async fn of_type(
        &self,
        shard: Shard,
        event_type: i16,
        after: Position,
    ) -> Result<Vec<EventLocation>, Error> {
        self.way().await?;
        self.truth.of_type(shard, event_type, after).await
    }

    async fn of_platform(
        &self,
        shard: Shard,
        platform: Uuid,
        kinds: &[StreamKind],
        span: Span,
        limit: u32,
    ) -> Result<Vec<Recorded>, Error> {
        self.way().await?;
        self.truth.of_platform(shard, platform, kinds, span, limit).await
    }

    async fn used_keys(&self, shard: Shard, keys: &[Key], now_ms: i64) -> Result<Vec<UsedKey>, Error> {
        self.way().await?;
        self.truth.used_keys(shard, keys, now_ms).await
    }

    async fn purge_keys(&self, shard: Shard, now_ms: i64) -> Result<u64, Error> {
        self.way().await?;
        self.truth.purge_keys(shard, now_ms).await
    }

    fn watch(&self, shard: Shard) -> watch::Receiver<Position> {
        self.remembered.watch(shard)
    }

    fn observe(&self, shard: Shard, position: Position) {
        self.remembered.observe(shard, position);
    }

    fn unchanged_since(&self, shard: Shard, head: Position, streams: &[(StreamId, Position)]) -> Vec<bool> {
        self.remembered.unchanged_since(shard, head, streams)
    }
}
