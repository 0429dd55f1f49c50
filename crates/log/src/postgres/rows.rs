//! Conversion between events and columns: a batch as one array per column, and a row as a recorded event.

use daybook_pg::types::{JsonText, TimestampMs};
use daybook_proof::{Frontier, Hash};
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, ToSql};
use uuid::Uuid;

use crate::{EncodedEvent, Error, Head, Key, KeyUse, Position, Recorded, UsedKey};

/// Events of a batch, column by column, in the order of `append_events.sql`.
pub(super) struct EventColumns<'a> {
    event_id: Vec<Uuid>,
    stream: Vec<Uuid>,
    stream_kind: Vec<i16>,
    version: Vec<i32>,
    event_type: Vec<i16>,
    schema_version: Vec<i16>,
    effective_at: Vec<Option<TimestampMs>>,
    actor: Vec<Option<Uuid>>,
    cause_id: Vec<Uuid>,
    platform: Vec<Uuid>,
    data: Vec<JsonText<&'a [u8]>>,
    sealed: Vec<Option<&'a [u8]>>,
    sealed_hash: Vec<Option<&'a [u8]>>,
}

impl<'a> EventColumns<'a> {
    /// Creates the columns. `boxes` are the hashes of the events' boxes.
    pub(super) fn new(events: &'a [EncodedEvent], boxes: &'a [Option<Hash>]) -> Result<Self, Error> {
        let version = |event: &EncodedEvent| i32::try_from(event.version);
        Ok(Self {
            event_id: events.iter().map(|event| event.event_id).collect(),
            stream: events.iter().map(|event| event.stream).collect(),
            stream_kind: events.iter().map(|event| event.stream_kind).collect(),
            version: events
                .iter()
                .map(version)
                .collect::<Result<_, _>>()
                .map_err(|error| Error::Refused(Box::new(error)))?,
            event_type: events.iter().map(|event| event.event_type).collect(),
            schema_version: events.iter().map(|event| event.schema_version).collect(),
            effective_at: events.iter().map(|event| event.effective_at_ms.map(TimestampMs)).collect(),
            actor: events.iter().map(|event| event.actor).collect(),
            cause_id: events.iter().map(|event| event.cause_id).collect(),
            platform: events.iter().map(|event| event.platform).collect(),
            data: events.iter().map(|event| JsonText(event.data.as_slice())).collect(),
            sealed: events.iter().map(|event| event.sealed.as_deref()).collect(),
            sealed_hash: boxes.iter().map(|hash| hash.as_ref().map(Hash::as_slice)).collect(),
        })
    }

    pub(super) fn parameters(&self) -> [&(dyn ToSql + Sync); 13] {
        [
            &self.event_id,
            &self.stream,
            &self.stream_kind,
            &self.version,
            &self.event_type,
            &self.schema_version,
            &self.effective_at,
            &self.actor,
            &self.cause_id,
            &self.platform,
            &self.data,
            &self.sealed,
            &self.sealed_hash,
        ]
    }
}

/// Keys of a batch, column by column, in the order of `append_keys.sql`.
pub(super) struct KeyColumns<'a> {
    key: Vec<&'a [u8]>,
    fingerprint: Vec<&'a [u8]>,
    object: Vec<Option<Uuid>>,
}

impl<'a> KeyColumns<'a> {
    pub(super) fn new(keys: &'a [KeyUse]) -> Self {
        Self {
            key: keys.iter().map(|used| used.key.as_slice()).collect(),
            fingerprint: keys.iter().map(|used| used.fingerprint.as_slice()).collect(),
            object: keys.iter().map(|used| used.object).collect(),
        }
    }

    pub(super) fn parameters(&self) -> [&(dyn ToSql + Sync); 3] {
        [&self.key, &self.fingerprint, &self.object]
    }
}

/// Converts a position or the number of a commit to `bigint`. A number that does not fit becomes the maximum, which is
/// beyond every end.
pub(super) fn bigint(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Columns of every statement that reads events, in their order. To find each column by name would be a large part of
/// the cost of a row.
#[derive(Clone, Copy)]
enum Column {
    Position,
    RecordedAt,
    EventId,
    Stream,
    StreamKind,
    Version,
    Type,
    SchemaVersion,
    EffectiveAt,
    Actor,
    CauseId,
    Platform,
    Data,
    Sealed,
}

impl Column {
    fn of<'a, T: FromSql<'a>>(self, row: &'a Row) -> Result<T, tokio_postgres::Error> {
        row.try_get(self as usize)
    }
}

/// Reads a row of `event`.
pub(super) fn recorded(row: &Row) -> Result<Recorded, Error> {
    let position =
        Column::Position.of::<i64>(row)?.try_into().map_err(|error| Error::Refused(Box::new(error)))?;
    // A row that cannot be decoded is not the row that was written, so the log is corrupt at this position.
    decode(row, position).map_err(|error| Error::Corrupt {
        position: position.saturating_sub(1),
        what: format!("the event cannot be read: {error}"),
    })
}

fn decode(row: &Row, position: Position) -> Result<Recorded, Box<dyn std::error::Error + Send + Sync>> {
    let event = EncodedEvent {
        event_id: Column::EventId.of(row)?,
        stream: Column::Stream.of(row)?,
        stream_kind: Column::StreamKind.of(row)?,
        version: Column::Version.of::<i32>(row)?.try_into()?,
        event_type: Column::Type.of(row)?,
        schema_version: Column::SchemaVersion.of(row)?,
        effective_at_ms: Column::EffectiveAt.of::<Option<TimestampMs>>(row)?.map(|at| at.0),
        actor: Column::Actor.of(row)?,
        cause_id: Column::CauseId.of(row)?,
        platform: Column::Platform.of(row)?,
        data: Column::Data.of::<JsonText<&[u8]>>(row)?.0.to_vec(),
        sealed: Column::Sealed.of(row)?,
    };
    Ok(Recorded { position, recorded_at_ms: Column::RecordedAt.of::<TimestampMs>(row)?.0, event })
}

/// Reads a row of `commit`. No row means that the log is empty.
pub(super) fn head(row: Option<&Row>) -> Result<Head, Error> {
    let Some(row) = row else { return Ok(Head::default()) };
    Ok(Head {
        commit_no: number(row, "commit_no")?,
        position: number(row, "last_position")?,
        recorded_at_ms: row.try_get::<_, TimestampMs>("recorded_at")?.0,
    })
}

/// Reads a row of `commit` with its tree; `None` if the commit was made without one.
pub(super) fn tree(row: Option<&Row>) -> Result<(Head, Option<Frontier>), Error> {
    let head = head(row)?;
    let Some(row) = row else { return Ok((head, Some(Frontier::default()))) };
    Ok((head, super::backfill::frontier(head, row.try_get("root")?, row.try_get("frontier")?)?))
}

/// Reads a row of `idempotency`.
pub(super) fn used_key(row: &Row) -> Result<UsedKey, Error> {
    let used = KeyUse {
        key: digest(row, "key")?,
        fingerprint: digest(row, "fingerprint")?,
        object: row.try_get("object")?,
    };
    Ok(UsedKey { used, recorded_at_ms: row.try_get::<_, TimestampMs>("recorded_at")?.0 })
}

/// Reads the key in a row of `idempotency`, and the time of its use in milliseconds.
pub(super) fn listed_key(row: &Row) -> Result<(Key, i64), Error> {
    Ok((digest(row, "key")?, row.try_get::<_, TimestampMs>("recorded_at")?.0))
}

fn digest(row: &Row, column: &str) -> Result<[u8; 32], Error> {
    row.try_get::<_, &[u8]>(column)?.try_into().map_err(|error| Error::Refused(Box::new(error)))
}

/// Reads a position or the number of a commit.
pub(super) fn number(row: &Row, column: &str) -> Result<u64, Error> {
    row.try_get::<_, i64>(column)?.try_into().map_err(|error| Error::Refused(Box::new(error)))
}
