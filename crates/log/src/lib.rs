//! Append-only event store with idempotency keys and a Merkle tree over all events.
//!
//! A *shard* is a log of its own, with positions 1, 2, 3, … without gaps. A *stream* has the events of one aggregate,
//! with versions 1, 2, 3, … The store treats events as opaque bytes: it knows stream, type, version and payload, and no
//! type of the domain.
//!
//! - [`Log`] is the read side: pages of positions, streams, last events, used idempotency keys. Readers take no lock.
//! - [`Appender`] is the write side. It takes the shard's lock, so one writer at a time reads, decides and appends, and
//!   callers need no expected version. One commit appends events and used idempotency keys atomically.
//! - Each commit of [`postgres::PostgresLog`] extends a Merkle tree as in RFC 6962 and carries a signature of its root,
//!   if the log has a signer. Receipts ([`SignedRoot`]) and checkpoints (signed tree heads) are made from these roots;
//!   the crate `daybook-proof` verifies them.
//!
//! [`memory::MemoryLog`] and [`postgres::PostgresLog`] pass the same conformance suite (`conformance`, with the feature
//! `testing`).
//!
//! # Example
//!
//! ```
//! use daybook_log::memory::MemoryLog;
//! use daybook_log::{Batch, EncodedEvent, Error, Log};
//! use uuid::Uuid;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Error> {
//! let (shard, now_ms) = (1, 1_772_366_400_000);
//! let opened = EncodedEvent {
//!     event_id: Uuid::from_u128(1),
//!     stream: Uuid::from_u128(2),
//!     stream_kind: 7,
//!     version: 1,
//!     event_type: 11,
//!     schema_version: 1,
//!     effective_at_ms: None,
//!     actor: None,
//!     cause_id: Uuid::from_u128(3),
//!     platform: Uuid::from_u128(4),
//!     data: br#"{"currency":"USD"}"#.to_vec(),
//!     sealed: None,
//! };
//! let batch = Batch { id: Uuid::from_u128(5), recorded_at_ms: now_ms, events: vec![opened], keys: vec![] };
//!
//! let log = MemoryLog::new();
//! let mut appender = log.appender(shard, Uuid::from_u128(6)).await?;
//! appender.lock(&[], now_ms).await?;
//! let head = appender.append(batch).await?;
//!
//! assert_eq!((head.commit_no, head.position), (1, 1));
//! assert_eq!(log.read(shard, 0, head.position).await?[0].event.version, 1);
//! # Ok(())
//! # }
//! ```

mod activity;
#[cfg(feature = "testing")]
pub mod conformance;
mod error;
mod heads;
mod key;
mod kind_filter;
pub mod memory;
pub mod postgres;
pub mod raw;
mod recent;
mod recent_changes;
mod record;
mod root;
mod sign;
#[cfg(feature = "testing")]
pub mod testing;

use std::sync::Arc;

pub use activity::Activity;
use async_trait::async_trait;
pub use error::Error;
pub use key::{Key, KeyUse, UsedKey};
pub use kind_filter::KindFilter;
pub use record::{
    AsOf, Batch, EncodedEvent, EventLocation, Head, Position, Recorded, Shard, Span, StreamId, StreamKind,
};
pub use root::SignedRoot;
pub use sign::{FIRST_SHARD, NoOriginForShard, Sign, Signers, key_of, sign};
use tokio::sync::watch;
use uuid::Uuid;

/// Maximum number of events that one [`Log::read`] returns.
pub const PAGE: u32 = 5000;

/// Read side of an event store: any number of readers may use it at once.
#[async_trait]
pub trait Log: Send + Sync + 'static {
    /// Opens the append side of `shard`. Several processes may hold one each.
    ///
    /// `writer` identifies this process in every commit that it makes.
    async fn appender(&self, shard: Shard, writer: Uuid) -> Result<Box<dyn Appender>, Error>;

    /// Returns the newest commit; position 0 if the log is empty.
    async fn head(&self, shard: Shard) -> Result<Head, Error>;

    /// Returns the events at positions `after + 1 ..= min(after + PAGE, up_to)`, in order and without a gap; fewer if
    /// the log ends before.
    ///
    /// Boxes can be large. A log configured with `omit_boxes_of` omits them for some kinds of streams; a reader that
    /// needs such a box reads its stream.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if a position up to the head is missing.
    async fn read(&self, shard: Shard, after: Position, up_to: Position) -> Result<Vec<Recorded>, Error>;

    /// Returns the events at positions `after + 1 ..= up_to`, at most [`PAGE`] positions, in order, except those that
    /// `kind_filter` names. Boxes as in [`Log::read`].
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if one of the positions is missing, including those left out, or the log ends before.
    async fn read_filtered(
        &self,
        shard: Shard,
        after: Position,
        up_to: Position,
        kind_filter: &KindFilter,
    ) -> Result<Vec<Recorded>, Error> {
        kind_filter.of(self.read(shard, after, up_to).await?, after, up_to)
    }

    /// Returns the newest commit that ends at or before `position`. A cursor may stop at its end.
    async fn boundary(&self, shard: Shard, position: Position) -> Result<Head, Error>;

    /// Returns the last position recorded at or before `time_ms`, in milliseconds since the Unix epoch; 0 if there is
    /// none.
    ///
    /// The answer for a time in the future may still grow.
    async fn position_at(&self, shard: Shard, time_ms: i64) -> Result<Position, Error>;

    /// Returns every event of each of `streams` with a version greater than the given one, in order of stream and
    /// version.
    async fn streams(&self, shard: Shard, streams: &[(StreamId, u32)]) -> Result<Vec<Recorded>, Error>;

    /// Returns the events of `stream` with the versions `after + 1 ..= after + limit`, at most [`PAGE`], in order;
    /// fewer if the stream ends before.
    async fn stream_page(
        &self,
        shard: Shard,
        stream: StreamId,
        after: u32,
        limit: u32,
    ) -> Result<Vec<Recorded>, Error>;

    /// Returns the last event of each of `streams` that has any, in order of stream.
    async fn last(&self, shard: Shard, streams: &[StreamId]) -> Result<Vec<Recorded>, Error>;

    /// Returns the last event of each stream as of its position, among the versions `after + 1 ..= after + reach`, in
    /// the order of `streams`.
    async fn last_as_of(
        &self,
        shard: Shard,
        streams: &[AsOf],
        reach: u32,
    ) -> Result<Vec<Option<Recorded>>, Error>;

    /// Returns the place of every event of the type with this number after position `after`, in order.
    ///
    /// This is fast only for a type with an index of its own. For other types all events after `after` are scanned.
    async fn of_type(
        &self,
        shard: Shard,
        event_type: i16,
        after: Position,
    ) -> Result<Vec<EventLocation>, Error>;

    /// Returns the events of streams of `kinds` that belong to `platform`, at the positions of `span`: the first
    /// `limit` of them, at most [`PAGE`], in order.
    ///
    /// The database scans every event of the range, so a long range takes long.
    async fn of_platform(
        &self,
        shard: Shard,
        platform: Uuid,
        kinds: &[StreamKind],
        span: Span,
        limit: u32,
    ) -> Result<Vec<Recorded>, Error>;

    /// Returns those of `keys` that count as used at `now_ms`. A writer may be using another one of them at the same
    /// moment; only the answer under the lock is final.
    async fn used_keys(&self, shard: Shard, keys: &[Key], now_ms: i64) -> Result<Vec<UsedKey>, Error>;

    /// Deletes keys of `shard` that expired at least a day before `now_ms`; returns their number.
    ///
    /// Only the slot that receives the keys of the coming day is searched. Called at least once a day, it deletes all
    /// expired keys.
    async fn purge_keys(&self, shard: Shard, now_ms: i64) -> Result<u64, Error>;

    /// Watches the head as this process knows it. Its own commits are visible immediately, commits of other processes
    /// after [`Log::observe`].
    fn watch(&self, shard: Shard) -> watch::Receiver<Position>;

    /// Notifies the watchers of a head that was read from the database. A lower position is ignored.
    fn observe(&self, shard: Shard, position: Position);

    /// Returns for each pair in `streams` true if this process knows that the stream has no event after that position,
    /// up to the end of the log, which was at `head` or later. False means that it does not know.
    fn unchanged_since(&self, shard: Shard, head: Position, streams: &[(StreamId, Position)]) -> Vec<bool>;
}

/// Append side of one shard. A writer takes the lock, reads, decides, and then appends or releases.
///
/// From [`Appender::lock`] to the call that ends it no other writer appends to the shard.
#[async_trait]
pub trait Appender: Send {
    /// Takes the shard's lock, then reads the head and those of `keys` that are used. Waits while another writer holds
    /// the lock.
    ///
    /// A key counts as used for 24 hours; `now_ms` is the current time. A key that the batch is going to use must be
    /// among `keys`.
    async fn lock(&mut self, keys: &[Key], now_ms: i64) -> Result<Locked, Error>;

    /// Same as [`Log::read`], under the lock.
    async fn read(&mut self, after: Position, up_to: Position) -> Result<Vec<Recorded>, Error>;

    /// Appends `batch` as one commit directly after the head that [`Appender::lock`] returned, and releases the lock.
    ///
    /// # Errors
    ///
    /// [`Error::Unknown`] if the answer to the commit was lost; [`Appender::resolve`] tells the outcome. After any
    /// other error nothing was appended.
    async fn append(&mut self, batch: Batch) -> Result<Head, Error>;

    /// Releases the lock without appending.
    async fn release(&mut self) -> Result<(), Error>;

    /// Checks if the commit `commit_no` is the batch `batch`, and returns its head if it is. Takes the lock first, so
    /// that it waits for a backend that is still committing. Reconnects as needed, and releases the lock.
    async fn resolve(&mut self, commit_no: u64, batch: Uuid) -> Result<Option<Head>, Error>;

    /// Returns the signed root of the last commit that was made or resolved; `None` if the log has no signer.
    fn signed(&self) -> Option<Arc<SignedRoot>> {
        None
    }
}

/// State of the shard that is fixed while the lock is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locked {
    /// Newest commit.
    pub head: Head,
    /// Keys of the request that were used in the last 24 hours.
    pub used: Vec<UsedKey>,
}
