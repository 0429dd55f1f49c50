//! Decoding: converts stored bytes of the log into events of the domain. Boxes are not opened.

use std::collections::HashSet;
use std::sync::Arc;

use daybook_domain::account::{self, Entry};
use daybook_domain::event::Schema;
use daybook_domain::id::BoxId;
use daybook_domain::{Event, Key, Kind, PlatformId, Sealed, Timestamp};
use daybook_log::Recorded;

use crate::error::{Error, Undecodable};

/// A recorded event with its position in the log and its version in the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedEvent {
    /// Position in the shard's log.
    pub position: u64,
    /// Time at which its commit was recorded.
    pub recorded_at: Timestamp,
    /// Effective time: by its platform's clock, which may be ahead. States are folded at this time.
    pub effective_at: Timestamp,
    /// Id of the event; equal to the id of its box if it has one.
    pub event_id: u128,
    /// The aggregate that it belongs to.
    pub key: Key,
    /// The platform that it belongs to.
    pub platform: PlatformId,
    /// Place in the stream: 1, 2, 3, …
    pub version: u32,
    /// The content of the event.
    pub event: Event,
}

impl RecordedEvent {
    /// Decodes an event of the log.
    ///
    /// # Errors
    ///
    /// [`Error::Undecodable`] if type or kind is unknown, if they contradict each other, or if the data are malformed.
    pub fn decode(recorded: &Recorded) -> Result<Self, Error> {
        let position = recorded.position;
        decode(recorded).map_err(|source| Error::Undecodable { position, source })
    }

    /// Returns the entry of an account; none for any other event.
    #[must_use]
    pub fn entry(&self) -> Option<&Entry> {
        let Event::Account(account::Event::Entry(entry)) = &self.event else { return None };
        Some(entry)
    }
}

fn decode(recorded: &Recorded) -> Result<RecordedEvent, Undecodable> {
    let stored = &recorded.event;
    let kind = Kind::from_code(stored.stream_kind).ok_or(Undecodable::Kind(stored.stream_kind))?;
    let event_id = stored.event_id.as_u128();
    let sealed = stored
        .sealed
        .as_deref()
        .map(|bytes| Sealed { id: BoxId::from_u128(event_id), bytes: Arc::from(bytes) });
    let schema = Schema { event_type: stored.event_type, version: stored.schema_version };
    let event = Event::decode(schema, &stored.data, sealed.as_ref())?;
    if event.kind() != kind {
        return Err(Undecodable::Foreign);
    }
    Ok(RecordedEvent {
        position: recorded.position,
        recorded_at: Timestamp::from_ms(recorded.recorded_at_ms),
        effective_at: Timestamp::from_ms(stored.effective_at_ms.unwrap_or(recorded.recorded_at_ms)),
        event_id,
        key: Key { kind, id: stored.stream.as_u128() },
        platform: PlatformId::from(stored.platform),
        version: stored.version,
        event,
    })
}

/// Returns the requested key to which an event belongs; none if the stream is of another kind.
pub(crate) fn key_of(recorded: &Recorded, asked: &HashSet<Key>) -> Option<Key> {
    let kind = Kind::from_code(recorded.event.stream_kind)?;
    let key = Key { kind, id: recorded.event.stream.as_u128() };
    asked.contains(&key).then_some(key)
}

/// Decodes events in the order of `recorded`.
pub(crate) fn decode_all(recorded: &[Recorded]) -> Result<Vec<RecordedEvent>, Error> {
    recorded.iter().map(RecordedEvent::decode).collect()
}
