//! File format of a chapter of the golden history: one JSON line per event, with every column and the exact bytes of
//! its data.

use daybook_log::{Batch, EncodedEvent};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use uuid::Uuid;

/// One event and the commit that recorded it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line {
    pub(super) commit: u64,
    pub(super) position: u64,
    pub(super) recorded_at_ms: i64,
    pub(super) effective_at_ms: Option<i64>,
    pub(super) event_id: String,
    pub(super) stream: String,
    pub(super) stream_kind: i16,
    pub(super) version: u32,
    #[serde(rename = "type")]
    pub(super) event_type: i16,
    pub(super) schema_version: i16,
    pub(super) actor: Option<String>,
    pub(super) cause_id: String,
    pub(super) platform: String,
    pub(super) data: Box<RawValue>,
    /// Sealed bytes, in hexadecimal digits.
    pub(super) sealed: Option<String>,
}

impl Line {
    /// Makes the line of an event from its commit and position in the log.
    pub(super) fn of(commit: u64, position: u64, recorded_at_ms: i64, event: EncodedEvent) -> Self {
        let data = String::from_utf8(event.data).expect("JSON is UTF-8");
        Self {
            commit,
            position,
            recorded_at_ms,
            effective_at_ms: event.effective_at_ms,
            event_id: event.event_id.to_string(),
            stream: event.stream.to_string(),
            stream_kind: event.stream_kind,
            version: event.version,
            event_type: event.event_type,
            schema_version: event.schema_version,
            actor: event.actor.map(|actor| actor.to_string()),
            cause_id: event.cause_id.to_string(),
            platform: event.platform.to_string(),
            data: RawValue::from_string(data).expect("JSON"),
            sealed: event.sealed.map(hex::encode),
        }
    }

    fn into_event(self) -> EncodedEvent {
        EncodedEvent {
            event_id: uuid(&self.event_id),
            stream: uuid(&self.stream),
            stream_kind: self.stream_kind,
            version: self.version,
            event_type: self.event_type,
            schema_version: self.schema_version,
            effective_at_ms: self.effective_at_ms,
            actor: self.actor.as_deref().map(uuid),
            cause_id: uuid(&self.cause_id),
            platform: uuid(&self.platform),
            data: self.data.get().as_bytes().to_vec(),
            sealed: self.sealed.as_deref().map(bytes),
        }
    }
}

fn uuid(text: &str) -> Uuid {
    text.parse().expect("a UUID")
}

fn bytes(digits: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// Parses the lines of a file.
pub(super) fn read(text: &str) -> Vec<Line> {
    text.lines().map(|line| serde_json::from_str(line).expect("a line of a chapter")).collect()
}

/// Groups the lines into commits, in order.
pub(super) fn batches(lines: Vec<Line>) -> Vec<Batch> {
    let mut batches: Vec<(u64, Batch)> = vec![];
    for line in lines {
        let (commit, recorded_at_ms) = (line.commit, line.recorded_at_ms);
        if batches.last().is_none_or(|(last, _)| *last != commit) {
            let id = Uuid::from_u128(u128::from(commit));
            batches.push((commit, Batch { id, recorded_at_ms, events: vec![], keys: vec![] }));
        }
        batches.last_mut().expect("just pushed").1.events.push(line.into_event());
    }
    batches.into_iter().map(|(_, batch)| batch).collect()
}
