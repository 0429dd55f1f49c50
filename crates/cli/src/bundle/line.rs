//! Lines of a segment: each is one row of the log as a JSON object with all columns.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use daybook_log::raw::{RawCommit, RawEvent};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use uuid::Uuid;

/// A line of a segment.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Line {
    Event(EventLine),
    Commit(CommitLine),
}

/// A row of `event`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EventLine {
    position: u64,
    event_id: Id,
    stream: Id,
    stream_kind: i16,
    version: i32,
    #[serde(rename = "type")]
    event_type: i16,
    schema_version: i16,
    recorded_at_us: i64,
    effective_at_us: Option<i64>,
    actor: Option<Id>,
    cause_id: Option<Id>,
    correlation_id: Option<Id>,
    platform: Id,
    data: String,
    sealed: Option<Bytes>,
    sealed_hash: Option<Bytes>,
}

/// A row of `commit`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CommitLine {
    commit_no: u64,
    batch: Id,
    writer: Id,
    last_position: u64,
    recorded_at_us: i64,
    root: Option<Bytes>,
    signature: Option<Bytes>,
}

/// An id in the form `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`.
struct Id(Uuid);

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map(Self).map_err(de::Error::custom)
    }
}

/// Bytes in base64 with padding.
struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        STANDARD.decode(String::deserialize(deserializer)?).map(Self).map_err(de::Error::custom)
    }
}

impl TryFrom<RawEvent> for Line {
    type Error = std::string::FromUtf8Error;

    fn try_from(raw: RawEvent) -> Result<Self, Self::Error> {
        Ok(Self::Event(EventLine {
            position: raw.position,
            event_id: Id(raw.event_id),
            stream: Id(raw.stream),
            stream_kind: raw.stream_kind,
            version: raw.version,
            event_type: raw.event_type,
            schema_version: raw.schema_version,
            recorded_at_us: raw.recorded_at_us,
            effective_at_us: raw.effective_at_us,
            actor: raw.actor.map(Id),
            cause_id: raw.cause_id.map(Id),
            correlation_id: raw.correlation_id.map(Id),
            platform: Id(raw.platform),
            data: String::from_utf8(raw.data)?,
            sealed: raw.sealed.map(Bytes),
            sealed_hash: raw.sealed_hash.map(Bytes),
        }))
    }
}

impl From<EventLine> for RawEvent {
    fn from(line: EventLine) -> Self {
        Self {
            position: line.position,
            event_id: line.event_id.0,
            stream: line.stream.0,
            stream_kind: line.stream_kind,
            version: line.version,
            event_type: line.event_type,
            schema_version: line.schema_version,
            recorded_at_us: line.recorded_at_us,
            effective_at_us: line.effective_at_us,
            actor: line.actor.map(|id| id.0),
            cause_id: line.cause_id.map(|id| id.0),
            correlation_id: line.correlation_id.map(|id| id.0),
            platform: line.platform.0,
            data: line.data.into_bytes(),
            sealed: line.sealed.map(|bytes| bytes.0),
            sealed_hash: line.sealed_hash.map(|bytes| bytes.0),
        }
    }
}

impl From<RawCommit> for Line {
    fn from(raw: RawCommit) -> Self {
        Self::Commit(CommitLine {
            commit_no: raw.commit_no,
            batch: Id(raw.batch),
            writer: Id(raw.writer),
            last_position: raw.last_position,
            recorded_at_us: raw.recorded_at_us,
            root: raw.root.map(Bytes),
            signature: raw.signature.map(Bytes),
        })
    }
}

impl From<CommitLine> for RawCommit {
    fn from(line: CommitLine) -> Self {
        Self {
            commit_no: line.commit_no,
            batch: line.batch.0,
            writer: line.writer.0,
            last_position: line.last_position,
            recorded_at_us: line.recorded_at_us,
            root: line.root.map(|bytes| bytes.0),
            signature: line.signature.map(|bytes| bytes.0),
            frontier: None,
        }
    }
}
