//! Records that are written to the log and read from it.

use uuid::Uuid;

use crate::Error;

/// Range of times that the log accepts, in milliseconds since the Unix epoch: the years 1 to 9999, as ISO 8601 writes
/// them.
pub(crate) const TIMES_MS: std::ops::RangeInclusive<i64> = -62_135_596_800_000..=253_402_300_799_999;

/// Number of a shard: a log with its own positions. All data of one platform are in one shard.
pub type Shard = i16;

/// Position in a shard's log (global sequence number): 1, 2, 3, … without gaps. 0 is before the first event.
pub type Position = u64;

/// Id of the aggregate that an event belongs to; a ULID.
pub type StreamId = Uuid;

/// Kind of the aggregate of a stream. The domain assigns the numbers and never reuses them.
pub type StreamKind = i16;

/// Place of an event: its position and its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventLocation {
    /// Position of the event.
    pub position: Position,
    /// Stream of the event.
    pub stream: StreamId,
}

/// A range of positions: `after + 1 ..= up_to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Position before the first one of the range.
    pub after: Position,
    /// Last position of the range.
    pub up_to: Position,
}

/// Query for the newest event of a stream as of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AsOf {
    /// Stream to search.
    pub stream: StreamId,
    /// Version that the stream had at that position, or 0. The search starts after this version.
    pub after: u32,
    /// Position as of which the stream is searched.
    pub position: Position,
}

/// Newest commit of a shard. All fields are zero before the first commit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Number of the commit: 1, 2, 3, …
    pub commit_no: u64,
    /// Position of the commit's last event.
    pub position: Position,
    /// Time of recording, in milliseconds since the Unix epoch. It never decreases from one commit to the next.
    pub recorded_at_ms: i64,
}

/// An event to append. Its position follows from its place in the batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedEvent {
    /// Id of the event, a ULID. It equals the id of the event's box, if there is one.
    pub event_id: Uuid,
    /// Id of the aggregate.
    pub stream: StreamId,
    /// Kind of the aggregate.
    pub stream_kind: StreamKind,
    /// Version: place in the stream, 1, 2, 3, … The append fails if the version is taken.
    pub version: u32,
    /// Type of the event. The domain assigns the numbers and never reuses them.
    pub event_type: i16,
    /// Version of the type's schema.
    pub schema_version: i16,
    /// Effective time, in milliseconds since the Unix epoch, if it differs from the time of recording.
    pub effective_at_ms: Option<i64>,
    /// User that requested the change, if there is one.
    pub actor: Option<Uuid>,
    /// Id of the command that caused the event. All events of one decision have the same id.
    pub cause_id: Uuid,
    /// Platform that the event belongs to.
    pub platform: Uuid,
    /// JSON text, stored byte for byte. It never contains personal data.
    pub data: Vec<u8>,
    /// Box of one subject: ciphertext, stored byte for byte.
    pub sealed: Option<Vec<u8>>,
}

/// An event as the log stores it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Position in the shard's log.
    pub position: Position,
    /// Time of recording of the event's commit, in milliseconds since the Unix epoch.
    pub recorded_at_ms: i64,
    /// The appended event. Its box is missing if [`Log::read`](crate::Log::read) omits boxes of this kind of stream.
    pub event: EncodedEvent,
}

/// One commit: events in order, with the idempotency keys that their commands used up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Unique id, chosen by the writer. After a lost answer the writer recognizes its own commit by this id.
    pub id: Uuid,
    /// Time of recording, in milliseconds since the Unix epoch. It is not earlier than that of the previous commit.
    pub recorded_at_ms: i64,
    /// Events in order; at least one.
    pub events: Vec<EncodedEvent>,
    /// Keys used by the commands of this batch.
    pub keys: Vec<crate::KeyUse>,
}

impl Batch {
    /// Returns the head after this batch is appended at `head`.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] if the batch has no event, is older than `head`, or has a time outside the years 1 to 9999.
    pub(crate) fn follow(&self, head: Head) -> Result<Head, Error> {
        if self.events.is_empty() {
            return Err(Error::Refused("a commit needs an event".into()));
        }
        if self.recorded_at_ms < head.recorded_at_ms {
            return Err(Error::Refused("a commit is not recorded before the one that it follows".into()));
        }
        let mut times = self.events.iter().filter_map(|event| event.effective_at_ms);
        if !TIMES_MS.contains(&self.recorded_at_ms) || times.any(|at| !TIMES_MS.contains(&at)) {
            return Err(Error::Refused("a time is outside of the years 1 to 9999".into()));
        }
        Ok(Head {
            commit_no: head.commit_no + 1,
            position: head.position + self.events.len() as u64,
            recorded_at_ms: self.recorded_at_ms,
        })
    }

    /// Returns the events as the log stores them when this batch is appended at `head`.
    pub(crate) fn recorded_after(self, head: Head) -> impl ExactSizeIterator<Item = Recorded> {
        let recorded_at_ms = self.recorded_at_ms;
        let first = head.position + 1;
        let events = self.events.into_iter().enumerate();
        events.map(move |(place, event)| Recorded { position: first + place as u64, recorded_at_ms, event })
    }
}
