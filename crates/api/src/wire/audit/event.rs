//! Event with its inclusion proof.

use daybook_engine::Proved;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{base64, hashes};

/// An event of the log, its inclusion proof, and the checkpoint that the proof leads to.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EventProof {
    #[serde(flatten)]
    included: Included,
    checkpoint: String,
}

/// An event with the hashes on its path to the root.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = IncludedEvent)]
pub(super) struct Included {
    event: Event,
    path: Vec<String>,
}

/// Stored columns of an event. Its sealed box is represented by its hash.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = LoggedEvent)]
struct Event {
    shard: i16,
    position: u64,
    event_id: String,
    stream: String,
    stream_kind: i16,
    version: i32,
    r#type: i16,
    schema_version: i16,
    recorded_at_us: i64,
    effective_at_us: Option<i64>,
    actor: Option<String>,
    cause_id: Option<String>,
    correlation_id: Option<String>,
    platform: String,
    data: String,
    sealed_hash: Option<String>,
}

impl From<&Proved> for EventProof {
    fn from(proved: &Proved) -> Self {
        Self { included: (&proved.included).into(), checkpoint: proved.checkpoint.clone() }
    }
}

impl From<&daybook_engine::Included> for Included {
    fn from(included: &daybook_engine::Included) -> Self {
        let (row, id) = (&included.event, |id: Option<Uuid>| id.map(|id| id.to_string()));
        let event = Event {
            shard: included.shard,
            position: row.position,
            event_id: row.event_id.to_string(),
            stream: row.stream.to_string(),
            stream_kind: row.stream_kind,
            version: row.version,
            r#type: row.event_type,
            schema_version: row.schema_version,
            recorded_at_us: row.recorded_at_us,
            effective_at_us: row.effective_at_us,
            actor: id(row.actor),
            cause_id: id(row.cause_id),
            correlation_id: id(row.correlation_id),
            platform: row.platform.to_string(),
            // The database column is JSON, which is UTF-8.
            data: String::from_utf8_lossy(&row.data).into_owned(),
            sealed_hash: row.sealed_hash.as_deref().map(base64),
        };
        Self { event, path: hashes(&included.path) }
    }
}
