//! Events, and their inclusion paths.

use daybook_proof::Leaf;
use daybook_proof::balance;
use serde::{Deserialize, Deserializer, Serialize};

use super::{Bytes, Hash, Id, hashes};

/// A row of `event`. In an export it has its box and no shard; in a proof it has its shard and no box.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EventRow {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shard: Option<i16>,
    pub(crate) position: u64,
    event_id: Id,
    stream: Id,
    pub(crate) stream_kind: i16,
    version: i32,
    #[serde(rename = "type")]
    pub(crate) event_type: i16,
    pub(crate) schema_version: i16,
    pub(crate) recorded_at_us: i64,
    effective_at_us: Option<i64>,
    actor: Option<Id>,
    cause_id: Option<Id>,
    correlation_id: Option<Id>,
    platform: Id,
    pub(crate) data: String,
    #[serde(default, deserialize_with = "even_null", skip_serializing_if = "Option::is_none")]
    pub(crate) sealed: Option<Sealed>,
    pub(crate) sealed_hash: Option<Hash>,
}

/// A box in a line of an export.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Sealed {
    /// The box.
    Here(Bytes),
    /// The event has no box, or the box was removed.
    Gone,
}

/// Deserializes a field that is present, even if it is null. Null differs from a missing field.
fn even_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Sealed>, D::Error> {
    Sealed::deserialize(deserializer).map(Some)
}

impl EventRow {
    /// Returns the leaf of an event in a proof, or the reason for which the event is invalid.
    pub(crate) fn leaf(&self) -> Result<Leaf<'_>, &'static str> {
        match (self.shard, &self.sealed) {
            (Some(shard), None) => Ok(self.leaf_in(shard)),
            (None, _) => Err("the event has no shard"),
            (_, Some(_)) => Err("the event has a box; only its hash belongs here"),
        }
    }

    /// Returns the leaf of a line in an export of this shard; `None` if the line has more or fewer columns than an
    /// export writes.
    pub(crate) fn line_leaf(&self, shard: i16) -> Option<Leaf<'_>> {
        (self.shard.is_none() && self.sealed.is_some()).then(|| self.leaf_in(shard))
    }

    fn leaf_in(&self, shard: i16) -> Leaf<'_> {
        let id = |id: &Option<Id>| id.map(|id| id.0);
        Leaf {
            shard,
            position: self.position,
            event_id: self.event_id.0,
            stream: self.stream.0,
            stream_kind: self.stream_kind,
            version: self.version,
            event_type: self.event_type,
            schema_version: self.schema_version,
            recorded_at_us: self.recorded_at_us,
            effective_at_us: self.effective_at_us,
            actor: id(&self.actor),
            cause_id: id(&self.cause_id),
            correlation_id: id(&self.correlation_id),
            platform: self.platform.0,
            data: self.data.as_bytes(),
            sealed_hash: self.sealed_hash.map(|hash| hash.0),
        }
    }
}

/// An event with its inclusion path.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Included {
    pub(crate) event: EventRow,
    path: Vec<Hash>,
}

impl Included {
    /// Returns the path in the form that proofs take.
    pub(crate) fn path(&self) -> Vec<[u8; 32]> {
        hashes(&self.path)
    }

    /// Returns the event with its path in the form that proofs take.
    pub(crate) fn proof<'a>(&'a self, path: &'a [[u8; 32]]) -> Result<balance::Included<'a>, &'static str> {
        Ok(balance::Included { leaf: self.event.leaf()?, path })
    }
}

/// An event with its inclusion path, and the checkpoint to which the path leads.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EventProof {
    pub(crate) event: EventRow,
    pub(crate) path: Vec<Hash>,
    pub(crate) checkpoint: String,
}
