//! The log in PostgreSQL: the tables `shard`, `commit`, `event` and `idempotency` of `V1__log`.
//!
//! The writer assigns positions under the lock on the shard's row and holds that lock until COMMIT returns. Positions
//! therefore have no gaps, and no reader passes a position that is committed later. Any number of processes may append:
//! the lock is the fence, and there is no leader. Readers take connections from the pool, and no lock.

mod append;
mod backfill;
mod boundaries;
mod checkpoint;
mod connection;
mod copy;
mod filtered;
mod keys;
mod last;
mod last_seen;
mod newest;
mod purge;
mod raw;
mod read;
mod replicas;
mod rows;
mod shards;
mod signing_key;
mod tiles;

use std::sync::Arc;

use append::PostgresAppender;
use async_trait::async_trait;
pub use checkpoint::MadeCheckpoint;
use daybook_pg::{Pg, Placement};
use daybook_proof::Hash;
pub use last::{PlacedEntry, Tree};
use last_seen::{LastSeenCommit, ServerFence};
pub use replicas::{Lease, ReplicaMetrics, Replicas};
pub use shards::{MAX_SHARDS, Misplaced, add_shard, shards_on};
pub use signing_key::NotRegistered;
pub use tiles::Proving;
use tiles::TileCache;
use tokio::sync::watch;
use uuid::Uuid;

use crate::heads::Heads;
use crate::recent::RecentEvents;
use crate::recent_changes::RecentChanges;
use crate::sign::signer_of;
use crate::{
    Appender, AsOf, Error, EventLocation, Head, Key, KindFilter, Log, NoOriginForShard, Position, Recorded,
    Shard, Sign, Span, StreamId, StreamKind, UsedKey,
};

/// A log in one PostgreSQL database.
#[derive(Clone)]
pub struct PostgresLog {
    pg: Pg,
    heads: Arc<Heads>,
    kept: Arc<TileCache>,
    last_seen: Arc<LastSeenCommit>,
    recent: Arc<RecentEvents>,
    recent_changes: Arc<RecentChanges>,
    boxless: Arc<[StreamKind]>,
    signer: Option<Arc<dyn Sign>>,
    replicas: Option<Arc<Replicas>>,
    replica_metrics: ReplicaMetrics,
}

impl PostgresLog {
    /// Creates the log of the database that `pg` reaches. Does not connect yet.
    #[must_use]
    pub fn new(pg: Pg) -> Self {
        Self {
            pg,
            heads: Arc::default(),
            kept: Arc::default(),
            last_seen: Arc::default(),
            recent: Arc::default(),
            recent_changes: Arc::default(),
            boxless: Arc::default(),
            signer: None,
            replicas: None,
            replica_metrics: ReplicaMetrics::default(),
        }
    }

    /// Returns the same log, configured to omit the boxes of streams of `kinds` from pages of positions.
    #[must_use]
    pub fn omit_boxes_of(self, kinds: &[StreamKind]) -> Self {
        Self { boxless: kinds.into(), recent: Arc::default(), ..self }
    }

    /// Adds commits without a tree, such as copied ones, to the hash tree: stores their root, frontier and signature.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if the root of a commit is not the root of its events, or an event is missing.
    pub async fn backfill_roots(&self, shard: Shard) -> Result<(), Error> {
        backfill::backfill_roots(&self.pg, shard, self.signer(shard)?.as_deref()).await
    }

    /// Checks each new database connection of the process before use. A connection is refused if the log behind it
    /// lacks a commit that this process knows.
    pub fn fence(&self) {
        for server in self.pg.servers() {
            let fence = ServerFence::new(Arc::clone(&self.last_seen), server.placement());
            server.fence(Arc::new(fence));
        }
    }

    /// Waits until a commit that this process knew is found to be missing, for example after a fail-over, and returns
    /// the position at which it ended. The process has to end then: its memory may be wrong.
    pub async fn replaced(&self) -> Position {
        self.last_seen.lost().await
    }

    /// Returns the same log, configured to read pages and streams from `replicas`: one handle for each standby, with the
    /// placement of its primary. The head, idempotency keys and proofs are read from the primary.
    #[must_use]
    pub fn reading_from(self, replicas: Vec<(Placement, Pg)>) -> Self {
        let replicas = Replicas::new(replicas, Arc::clone(&self.last_seen), self.replica_metrics.clone());
        Self { replicas: Some(replicas), ..self }
    }

    /// Returns the replicas that this log reads from; `None` if it reads from the primary.
    #[must_use]
    pub const fn replicas(&self) -> Option<&Arc<Replicas>> {
        self.replicas.as_ref()
    }

    /// Returns the metrics of reads from replicas.
    #[must_use]
    pub const fn replica_metrics(&self) -> &ReplicaMetrics {
        &self.replica_metrics
    }

    /// Runs `work` on a replica, or on the primary.
    async fn reading<T, W: Future<Output = Result<T, Error>> + Send>(
        &self,
        shard: Shard,
        work: impl Fn(Lease) -> W + Sync,
    ) -> Result<T, Error> {
        if let Some(replicas) = &self.replicas
            && let Some(found) = Box::pin(replicas.read(shard, replicas::has_all_rows, &work)).await
        {
            return Ok(found);
        }
        work(Lease::of(self.pg.of(shard).client().await?)).await
    }

    /// Returns the same log, configured to sign every commit with `signer`, the key of shard 1. Commits of another shard
    /// are signed under the origin of that shard.
    #[must_use]
    pub fn signed_by(self, signer: Arc<dyn Sign>) -> Self {
        Self { signer: Some(signer), ..self }
    }

    /// Returns the signer of the commits of `shard`; none if commits are not signed.
    fn signer(&self, shard: Shard) -> Result<Option<Arc<dyn Sign>>, NoOriginForShard> {
        self.signer.as_ref().map(|first| signer_of(shard, first)).transpose()
    }
}

#[async_trait]
impl Log for PostgresLog {
    async fn appender(&self, shard: Shard, writer: Uuid) -> Result<Box<dyn Appender>, Error> {
        Ok(Box::new(PostgresAppender::open(self.clone(), shard, writer).await?))
    }

    async fn head(&self, shard: Shard) -> Result<Head, Error> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(read::HEAD).await?;
        let Some(row) = client.query_opt(&statement, &[&shard]).await? else { return Ok(Head::default()) };
        let head = rows::head(Some(&row))?;
        if let Some(Ok(root)) = row.try_get::<_, Option<&[u8]>>("root")?.map(Hash::try_from) {
            self.last_seen.note(shard, head, root)?;
        }
        self.recent_changes.begin(shard, head.position);
        Ok(head)
    }

    async fn read(&self, shard: Shard, after: Position, up_to: Position) -> Result<Vec<Recorded>, Error> {
        self.last_seen.check()?;
        if let Some(events) = self.recent.events(shard, after, up_to) {
            return Ok(events);
        }
        self.reading(shard, |client| async move {
            let head = client.prepare_cached(read::HEAD).await?;
            let events = client.prepare_cached(read::EVENTS).await?;
            // One round trip. The head is read first, so the second statement sees every event that the head counts.
            let (head, events) = futures::try_join!(
                read::head(&client, &head, shard),
                read::events(&client, &events, shard, after, up_to, &self.boxless)
            )?;
            read::contiguous(events, after, up_to, head)
        })
        .await
    }

    async fn read_filtered(
        &self,
        shard: Shard,
        after: Position,
        up_to: Position,
        kind_filter: &KindFilter,
    ) -> Result<Vec<Recorded>, Error> {
        self.last_seen.check()?;
        if !kind_filter.is_nothing() {
            let end = read::page_end(after, up_to);
            if let Some(page) = self.recent.events(shard, after, end) {
                return kind_filter.of(page, after, up_to);
            }
            let filtered = self.reading(shard, |client| async move {
                let statement = client.prepare_cached(filtered::EVENTS).await?;
                let range = (after, end);
                filtered::events(&client, &statement, shard, range, &self.boxless, kind_filter).await
            });
            if let Some(events) = filtered.await? {
                return Ok(events);
            }
        }
        // Only a read of the whole page tells which position is missing.
        kind_filter.of(self.read(shard, after, up_to).await?, after, up_to)
    }

    async fn boundary(&self, shard: Shard, position: Position) -> Result<Head, Error> {
        self.reading(shard, |client| async move {
            let statement = client.prepare_cached(read::BOUNDARY).await?;
            read::boundary(&client, &statement, shard, position).await
        })
        .await
    }

    async fn position_at(&self, shard: Shard, time_ms: i64) -> Result<Position, Error> {
        self.reading(shard, |client| async move {
            let statement = client.prepare_cached(read::POSITION_AT).await?;
            read::position_at(&client, &statement, shard, time_ms).await
        })
        .await
    }

    async fn streams(&self, shard: Shard, streams: &[(StreamId, u32)]) -> Result<Vec<Recorded>, Error> {
        self.reading(shard, |client| async move {
            let statement = client.prepare_cached(read::STREAMS).await?;
            read::streams(&client, &statement, shard, streams).await
        })
        .await
    }

    async fn stream_page(
        &self,
        shard: Shard,
        stream: StreamId,
        after: u32,
        limit: u32,
    ) -> Result<Vec<Recorded>, Error> {
        self.reading(shard, |client| async move {
            let statement = client.prepare_cached(read::STREAM_PAGE).await?;
            read::stream_page(&client, &statement, shard, stream, after, limit).await
        })
        .await
    }

    async fn last(&self, shard: Shard, streams: &[StreamId]) -> Result<Vec<Recorded>, Error> {
        self.reading(shard, |client| async move {
            let statement = client.prepare_cached(read::LAST).await?;
            read::last(&client, &statement, shard, streams).await
        })
        .await
    }

    async fn last_as_of(
        &self,
        shard: Shard,
        streams: &[AsOf],
        reach: u32,
    ) -> Result<Vec<Option<Recorded>>, Error> {
        self.reading(shard, |client| async move {
            let statement = client.prepare_cached(read::LAST_AS_OF).await?;
            read::last_as_of(&client, &statement, shard, streams, reach).await
        })
        .await
    }

    async fn of_type(
        &self,
        shard: Shard,
        event_type: i16,
        after: Position,
    ) -> Result<Vec<EventLocation>, Error> {
        self.reading(shard, |client| async move {
            let statement = client.prepare_cached(&read::of_type_sql(event_type)).await?;
            read::of_type(&client, &statement, shard, after).await
        })
        .await
    }

    async fn of_platform(
        &self,
        shard: Shard,
        platform: Uuid,
        kinds: &[StreamKind],
        span: Span,
        limit: u32,
    ) -> Result<Vec<Recorded>, Error> {
        self.reading(shard, |client| async move {
            let statement = client.prepare_cached(read::OF_PLATFORM).await?;
            read::of_platform(&client, &statement, shard, (platform, kinds), span, limit).await
        })
        .await
    }

    async fn used_keys(&self, shard: Shard, keys: &[Key], now_ms: i64) -> Result<Vec<UsedKey>, Error> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(read::KEYS).await?;
        Ok(read::keys(&client, &statement, shard, keys, now_ms).await?.used)
    }

    async fn purge_keys(&self, shard: Shard, now_ms: i64) -> Result<u64, Error> {
        let client = self.pg.of(shard).client().await?;
        purge::keys(&client, shard, now_ms).await
    }

    fn watch(&self, shard: Shard) -> watch::Receiver<Position> {
        self.heads.watch(shard)
    }

    fn observe(&self, shard: Shard, position: Position) {
        self.heads.tell(shard, position);
    }

    fn unchanged_since(&self, shard: Shard, head: Position, streams: &[(StreamId, Position)]) -> Vec<bool> {
        self.recent_changes.unchanged_since(shard, head, streams)
    }
}
