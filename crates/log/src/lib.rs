//! The append-only log: gap-free positions per shard, idempotency keys written with the events, one lock for writers.
//!
//! The log stores facts that it cannot read: it sees stream, type, version and bytes, and no type of the domain.
//! Two implementations, [`memory::MemoryLog`] and [`postgres::PostgresLog`], pass one suite (`conformance`, with the
//! feature `testing`).

#[cfg(feature = "testing")]
pub mod conformance;
mod error;
mod heads;
mod key;
mod left_out;
pub mod memory;
pub mod postgres;
pub mod raw;
mod recent;
mod record;
mod root;
mod sign;
#[cfg(feature = "testing")]
pub mod testing;
mod touched;

use std::sync::Arc;

use async_trait::async_trait;
pub use error::Error;
pub use key::{Key, KeyUse, UsedKey};
pub use left_out::LeftOut;
pub use record::{AsOf, Batch, Head, NewEvent, Place, Position, Recorded, Shard, Span, StreamId, StreamKind};
pub use root::SignedRoot;
pub use sign::{Sign, Signers, sign};
use tokio::sync::watch;
use uuid::Uuid;

/// The most events that one [`Log::read`] answers.
pub const PAGE: u32 = 5000;

/// Reads facts of a log; open to any number of readers.
#[async_trait]
pub trait Log: Send + Sync + 'static {
    /// Opens the append side of `shard`; several processes may hold one each.
    ///
    /// `writer` names this process in every commit it makes.
    async fn appender(&self, shard: Shard, writer: Uuid) -> Result<Box<dyn Appender>, Error>;

    /// The newest commit; position 0 of an empty log.
    async fn head(&self, shard: Shard) -> Result<Head, Error>;

    /// The events at positions `after + 1 ..= min(after + PAGE, up_to)`, in order and without a gap; fewer if the log
    /// ends before.
    ///
    /// Kinds of streams for which the log was made so (`without_boxes_of`) come without their boxes, which can be large:
    /// whoever needs one asks for its stream.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if a position up to the head is missing.
    async fn read(&self, shard: Shard, after: Position, up_to: Position) -> Result<Vec<Recorded>, Error>;

    /// The events at positions `after + 1 ..= up_to`, at most [`PAGE`] positions, in order, but for what is `left_out`;
    /// boxes as in [`Log::read`].
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if one of the positions is missing, whatever was there, or the log ends before.
    async fn read_without(
        &self,
        shard: Shard,
        after: Position,
        up_to: Position,
        left_out: &LeftOut,
    ) -> Result<Vec<Recorded>, Error> {
        left_out.of(self.read(shard, after, up_to).await?, after, up_to)
    }

    /// The newest commit that ends at or before `position`: where a cursor may stop.
    async fn boundary(&self, shard: Shard, position: Position) -> Result<Head, Error>;

    /// The last position recorded at or before `time_ms`, in milliseconds since the Unix epoch; 0 if there is none.
    ///
    /// Of a time that has not passed yet the answer may still grow.
    async fn position_at(&self, shard: Shard, time_ms: i64) -> Result<Position, Error>;

    /// Every event of each of `streams` with a version greater than the one beside it, in order of stream and version.
    async fn streams(&self, shard: Shard, streams: &[(StreamId, u32)]) -> Result<Vec<Recorded>, Error>;

    /// The events of `stream` with the versions `after + 1 ..= after + limit`, at most [`PAGE`], in order; fewer if the
    /// stream ends before.
    async fn stream_page(
        &self,
        shard: Shard,
        stream: StreamId,
        after: u32,
        limit: u32,
    ) -> Result<Vec<Recorded>, Error>;

    /// The last event of each of `streams` that has any, in order of stream.
    async fn last(&self, shard: Shard, streams: &[StreamId]) -> Result<Vec<Recorded>, Error>;

    /// The last event of each stream as of its position, among the versions `after + 1 ..= after + reach`; in the order of
    /// `streams`.
    async fn last_as_of(
        &self,
        shard: Shard,
        streams: &[AsOf],
        reach: u32,
    ) -> Result<Vec<Option<Recorded>>, Error>;

    /// The place of every event of the type with this number, after the position `after`, in order.
    ///
    /// As fast as there is an index for the type; without one all events after `after` are looked at.
    async fn of_type(&self, shard: Shard, event_type: i16, after: Position) -> Result<Vec<Place>, Error>;

    /// The events of streams of `kinds` that belong to `platform`, at the positions of `span`: the first `limit` of them, at
    /// most [`PAGE`], in order.
    ///
    /// Every event between is looked at, where the log is: whoever asks for a far range waits for that.
    async fn of_platform(
        &self,
        shard: Shard,
        platform: Uuid,
        kinds: &[StreamKind],
        span: Span,
        limit: u32,
    ) -> Result<Vec<Recorded>, Error>;

    /// Those of `keys` that count as used at `now_ms`. A writer may be using another of them at this moment: only under
    /// the lock is the answer the last word.
    async fn used_keys(&self, shard: Shard, keys: &[Key], now_ms: i64) -> Result<Vec<UsedKey>, Error>;

    /// Forgets keys of `shard` that stopped to count at least a day before `now_ms`; answers how many.
    ///
    /// Looks only where the keys of the coming day will be written: called at least once a day, it finds all.
    async fn purge_keys(&self, shard: Shard, now_ms: i64) -> Result<u64, Error>;

    /// The head as this process knows it: told at once of its own commits, of others' by [`Log::observe`].
    fn watch(&self, shard: Shard) -> watch::Receiver<Position>;

    /// Tells the watchers of a head that was read from the database; a lower one is ignored.
    fn observe(&self, shard: Shard, position: Position);

    /// Of each of `streams`, whether this process knows that no event came into it after the position beside it, up to the
    /// end of the log, which was `head` or more. It may not know; what it knows is true.
    fn untouched(&self, shard: Shard, head: Position, streams: &[(StreamId, Position)]) -> Vec<bool>;
}

/// The append side of one shard: lock, look, decide elsewhere, then append or release.
///
/// Between [`Appender::lock`] and the call that ends it no one else appends to the shard.
#[async_trait]
pub trait Appender: Send {
    /// Takes the shard's lock and, after that, reads the head and which of `keys` are used.
    ///
    /// A key counts for 24 hours before `now_ms`; one that is to be used has to be asked for. Waits while another writer
    /// holds the lock.
    async fn lock(&mut self, keys: &[Key], now_ms: i64) -> Result<Locked, Error>;

    /// As [`Log::read`], under the lock.
    async fn read(&mut self, after: Position, up_to: Position) -> Result<Vec<Recorded>, Error>;

    /// Appends `batch` as one commit right after the head that [`Appender::lock`] answered, and gives the lock back.
    ///
    /// # Errors
    ///
    /// [`Error::Unknown`] if the answer to the commit was lost: ask [`Appender::resolve`]. Any other error means that
    /// nothing was appended.
    async fn append(&mut self, batch: Batch) -> Result<Head, Error>;

    /// Gives the lock back without appending.
    async fn release(&mut self) -> Result<(), Error>;

    /// Tells whether the commit `commit_no` is the batch `batch`, after taking the lock, so that a backend which is
    /// still committing it is waited for. Reconnects as needed; gives the lock back.
    async fn resolve(&mut self, commit_no: u64, batch: Uuid) -> Result<Option<Head>, Error>;

    /// The signed root of the commit that was made last, or resolved; none if the log signs nothing.
    fn signed(&self) -> Option<Arc<SignedRoot>> {
        None
    }
}

/// What is true while the lock is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locked {
    /// The newest commit.
    pub head: Head,
    /// Those of the asked keys that were used in the last 24 hours.
    pub used: Vec<UsedKey>,
}
