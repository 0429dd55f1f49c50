//! What is written to the log and what is read from it.

use uuid::Uuid;

use crate::Error;

/// The times that the log takes, in milliseconds since the Unix epoch: the years 1 to 9999, as ISO 8601 writes them.
pub(crate) const TIMES_MS: std::ops::RangeInclusive<i64> = -62_135_596_800_000..=253_402_300_799_999;

/// A virtual log; everything of one platform is in one shard.
pub type Shard = i16;

/// Place in a shard's log: 1, 2, 3, … without a hole. 0 is before the first event.
pub type Position = u64;

/// The aggregate that an event belongs to; a ULID.
pub type StreamId = Uuid;

/// What sort of aggregate a stream is; numbers are given by the domain and never reused.
pub type StreamKind = i16;

/// The place of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its position.
    pub position: Position,
    /// Its stream.
    pub stream: StreamId,
}

/// The positions `after + 1 ..= up_to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The position before the first.
    pub after: Position,
    /// The last.
    pub up_to: Position,
}

/// A stream as it was after the event at some position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AsOf {
    /// Which stream.
    pub stream: StreamId,
    /// A version that it had by then, or 0: behind it is looked.
    pub after: u32,
    /// The position.
    pub position: Position,
}

/// The newest commit of a shard; all zero before the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Number of the commit: 1, 2, 3, …
    pub commit_no: u64,
    /// Position of the commit's last event.
    pub position: Position,
    /// When it was recorded, in milliseconds since the Unix epoch; never decreases.
    pub recorded_at_ms: i64,
}

/// An event that is to be appended; its position follows from its place in the batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvent {
    /// The event's own id, a ULID; equal to the id of its box if it has one.
    pub event_id: Uuid,
    /// The aggregate.
    pub stream: StreamId,
    /// The aggregate's kind.
    pub stream_kind: StreamKind,
    /// Place in the stream: 1, 2, 3, … The append fails if it is taken.
    pub version: u32,
    /// The event's type; numbers are given by the domain and never reused.
    pub event_type: i16,
    /// Version of the type's schema.
    pub schema_version: i16,
    /// When it counts, in milliseconds since the Unix epoch, if that is not when it is recorded.
    pub effective_at_ms: Option<i64>,
    /// The user who asked for it, if one did.
    pub actor: Option<Uuid>,
    /// The command that led to it; equal for all events of one decision.
    pub cause_id: Uuid,
    /// The platform that it belongs to.
    pub platform: Uuid,
    /// JSON text, kept byte by byte; never personal data.
    pub data: Vec<u8>,
    /// Ciphertext of one subject's box, moved verbatim.
    pub sealed: Option<Vec<u8>>,
}

/// An event as the log holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Place in the shard's log.
    pub position: Position,
    /// When its commit was recorded, in milliseconds since the Unix epoch.
    pub recorded_at_ms: i64,
    /// The event as it was appended, but for a box that [`Log::read`](crate::Log::read) leaves out.
    pub event: NewEvent,
}

/// One commit: events in order, with the idempotency keys that their commands used up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Chosen by the writer, unique; tells after a lost answer whose commit it was.
    pub id: Uuid,
    /// When it is recorded, in milliseconds since the Unix epoch; not before the commit it follows.
    pub recorded_at_ms: i64,
    /// The events; at least one.
    pub events: Vec<NewEvent>,
    /// Keys used by the commands of this batch.
    pub keys: Vec<crate::KeyUse>,
}

impl Batch {
    /// The head after this batch is appended at `head`.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] if the batch cannot follow it.
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

    /// The events as they are in the log once this batch is appended at `head`.
    pub(crate) fn recorded_after(self, head: Head) -> impl ExactSizeIterator<Item = Recorded> {
        let recorded_at_ms = self.recorded_at_ms;
        let first = head.position + 1;
        let events = self.events.into_iter().enumerate();
        events.map(move |(place, event)| Recorded { position: first + place as u64, recorded_at_ms, event })
    }
}
