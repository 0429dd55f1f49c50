//! Decoding: from bytes that the log holds to an event that the domain can fold. Boxes stay closed.

use std::collections::HashSet;
use std::sync::Arc;

use daybook_domain::account::{self, Entry};
use daybook_domain::event::Schema;
use daybook_domain::id::BoxId;
use daybook_domain::{Event, Key, Kind, PlatformId, Sealed, Timestamp};
use daybook_log::Recorded;

use crate::error::{Error, Undecodable};

/// An event with its place in the log and in its stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happened {
    /// Place in the shard's log.
    pub position: u64,
    /// When its commit was recorded.
    pub recorded_at: Timestamp,
    /// When it counts: by its platform's clock, which may be ahead. States are folded at this moment.
    pub effective_at: Timestamp,
    /// Its own id; equal to the id of its box if it has one.
    pub event_id: u128,
    /// The aggregate that it happened to.
    pub key: Key,
    /// The platform that it belongs to.
    pub platform: PlatformId,
    /// Place in the stream: 1, 2, 3, …
    pub version: u32,
    /// What happened.
    pub event: Event,
}

impl Happened {
    /// Reads what the log holds.
    ///
    /// # Errors
    ///
    /// [`Error::Undecodable`] if type or kind is unknown, the two do not fit, or the data is malformed.
    pub fn decode(recorded: &Recorded) -> Result<Self, Error> {
        let position = recorded.position;
        decode(recorded).map_err(|source| Error::Undecodable { position, source })
    }

    /// The entry of an account, if the event is one.
    #[must_use]
    pub fn entry(&self) -> Option<&Entry> {
        let Event::Account(account::Event::Entry(entry)) = &self.event else { return None };
        Some(entry)
    }
}

fn decode(recorded: &Recorded) -> Result<Happened, Undecodable> {
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
    Ok(Happened {
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

/// The asked key that an event belongs to; none if the stream turned out to be of another kind.
pub(crate) fn key_of(recorded: &Recorded, asked: &HashSet<Key>) -> Option<Key> {
    let kind = Kind::from_code(recorded.event.stream_kind)?;
    let key = Key { kind, id: recorded.event.stream.as_u128() };
    asked.contains(&key).then_some(key)
}

/// Events in the order of `recorded`.
pub(crate) fn decode_all(recorded: &[Recorded]) -> Result<Vec<Happened>, Error> {
    recorded.iter().map(Happened::decode).collect()
}
