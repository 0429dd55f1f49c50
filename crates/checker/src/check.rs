//! Checks of one event without any other. They are pure, so several threads can run them at once.

use daybook_domain::event::{Encoded, Schema};
use daybook_domain::{Event, Kind};
use daybook_log::Shard;
use daybook_log::raw::RawEvent;
use daybook_proof::Hash;
use sha2::{Digest, Sha256};

use crate::roots;

/// An event that was checked by itself: its header, its decoded content, and its inconsistencies.
#[derive(Clone, Debug)]
pub struct CheckedEvent {
    pub(crate) position: u64,
    pub(crate) stream: u128,
    pub(crate) kind: Option<Kind>,
    pub(crate) version: i32,
    pub(crate) recorded_at_us: i64,
    pub(crate) effective_at_us: Option<i64>,
    pub(crate) cause: Option<u128>,
    pub(crate) platform: u128,
    /// The decoded event; none if it cannot be decoded.
    pub(crate) event: Option<Event>,
    /// True if the row has the hash of a box, but the box was not read.
    pub(crate) lacks_box: bool,
    /// Leaf hash of the event in the hash tree; none if the row has no leaf.
    pub(crate) leaf: Option<Hash>,
    pub(crate) wrong: Vec<String>,
}

impl CheckedEvent {
    /// Decodes an event of `shard`, encodes it again and compares the bytes. If the box was read, compares its hash
    /// with the stored one.
    #[must_use]
    pub fn of(raw: &RawEvent<impl AsRef<[u8]>>, shard: Shard) -> Self {
        let mut wrong = Vec::new();
        let kind = Kind::from_code(raw.stream_kind);
        if kind.is_none() {
            wrong.push(format!("unknown kind of stream {}", raw.stream_kind));
        }
        let event = decode(raw, &mut wrong);
        if let (Some(kind), Some(event)) = (kind, &event)
            && event.kind() != kind
        {
            wrong.push("an event of another kind than its stream".to_owned());
        }
        hash(raw, &mut wrong);
        if raw.cause_id.is_none() {
            wrong.push("it does not name the command that caused it".to_owned());
        }
        if raw.correlation_id.is_some() {
            wrong.push("it has a correlation id, which no version of Daybook sets".to_owned());
        }
        let times = [Some(raw.recorded_at_us), raw.effective_at_us];
        if times.into_iter().flatten().any(|us| us % 1_000 != 0) {
            wrong.push("a time is not a whole millisecond".to_owned());
        }
        Self {
            position: raw.position,
            stream: raw.stream.as_u128(),
            kind,
            version: raw.version,
            recorded_at_us: raw.recorded_at_us,
            effective_at_us: raw.effective_at_us,
            cause: raw.cause_id.map(|id| id.as_u128()),
            platform: raw.platform.as_u128(),
            leaf: roots::leaf(raw, shard),
            event,
            lacks_box: raw.sealed.is_none() && raw.sealed_hash.is_some(),
            wrong,
        }
    }
}

fn decode(raw: &RawEvent<impl AsRef<[u8]>>, wrong: &mut Vec<String>) -> Option<Event> {
    let schema = Schema { event_type: raw.event_type, version: raw.schema_version };
    // The checks need no content of a box. Events decode without it.
    match Event::decode(schema, raw.data.as_ref(), None) {
        Ok(event) => {
            // An event of an older version is encoded as the newest version, which has other bytes.
            let is_written = |encoded: Encoded| encoded.schema != schema || encoded.data == raw.data.as_ref();
            if !event.encode().is_ok_and(is_written) {
                wrong.push("its data differ from the encoding of the event".to_owned());
            }
            Some(event)
        }
        Err(error) => {
            wrong.push(format!("it cannot be decoded: {error}"));
            None
        }
    }
}

fn hash(raw: &RawEvent<impl AsRef<[u8]>>, wrong: &mut Vec<String>) {
    match (&raw.sealed, raw.sealed_hash.as_ref().map(AsRef::as_ref)) {
        (Some(_), None) => wrong.push("its box has no hash".to_owned()),
        (Some(sealed), Some(hash)) if Sha256::digest(sealed).as_slice() != hash => {
            wrong.push("its box does not match its hash".to_owned());
        }
        (None, Some(hash)) if hash.len() != 32 => {
            wrong.push("the hash of its box does not have 32 bytes".to_owned());
        }
        (Some(_) | None, Some(_)) | (None, None) => {}
    }
}
