//! Signed Merkle roots. Every commit carries the signed root of the hash tree over all events of its shard. The formats
//! are in `docs/reference/proof.md`.

use daybook_proof::{CommitRoot, Growth, Hash, Hashes, Leaf, Node, Receipt, Signature, TreeHead};
use sha2::{Digest, Sha256};

use crate::raw::{RawCommit, RawEvent};
use crate::{EncodedEvent, Position, Shard};

/// Signed root of a commit, with the hashes that prove the inclusion of the commit's events.
#[derive(Clone, Debug)]
pub struct SignedRoot {
    pub(crate) root: CommitRoot,
    pub(crate) signature: Signature,
    pub(crate) growth: Growth,
}

impl SignedRoot {
    /// Returns the receipt (signed inclusion proof) of the commit's event at `position`; `None` if the commit has no
    /// such event.
    #[must_use]
    pub fn receipt(&self, position: Position) -> Option<Receipt> {
        let index = position.checked_sub(1)?;
        let path = self.growth.prove(index).ok()?;
        let leaf_hash = self.growth.hash(Node { level: 0, index })?;
        let (root, signature) = (self.root.clone(), self.signature);
        Some(Receipt { position, leaf_hash, root, signature, path: Some(path) })
    }
}

/// Returns the SHA-256 of an event's box.
pub(crate) fn hash_of_box(sealed: &[u8]) -> Hash {
    Sha256::digest(sealed).into()
}

/// Returns the leaf of an event that is about to be recorded.
pub(crate) fn leaf(
    event: &EncodedEvent,
    sealed_hash: Option<Hash>,
    shard: Shard,
    position: Position,
    recorded_at_ms: i64,
) -> Leaf<'_> {
    Leaf {
        shard,
        position,
        event_id: event.event_id.into_bytes(),
        stream: event.stream.into_bytes(),
        stream_kind: event.stream_kind,
        version: i32::try_from(event.version).unwrap_or(i32::MAX),
        event_type: event.event_type,
        schema_version: event.schema_version,
        recorded_at_us: recorded_at_ms.saturating_mul(1_000),
        effective_at_us: event.effective_at_ms.map(|at| at.saturating_mul(1_000)),
        actor: event.actor.map(uuid::Uuid::into_bytes),
        cause_id: Some(event.cause_id.into_bytes()),
        correlation_id: None,
        platform: event.platform.into_bytes(),
        data: &event.data,
        sealed_hash,
    }
}

impl<B: AsRef<[u8]>> RawEvent<B> {
    /// Returns the leaf of the event in the hash tree of `shard`; `None` if the hash of the box does not have 32 bytes.
    #[must_use]
    pub fn leaf(&self, shard: Shard) -> Option<Leaf<'_>> {
        let sealed_hash =
            self.sealed_hash.as_ref().map(|hash| Hash::try_from(hash.as_ref())).transpose().ok()?;
        Some(Leaf {
            shard,
            position: self.position,
            event_id: self.event_id.into_bytes(),
            stream: self.stream.into_bytes(),
            stream_kind: self.stream_kind,
            version: self.version,
            event_type: self.event_type,
            schema_version: self.schema_version,
            recorded_at_us: self.recorded_at_us,
            effective_at_us: self.effective_at_us,
            actor: self.actor.map(uuid::Uuid::into_bytes),
            cause_id: self.cause_id.map(uuid::Uuid::into_bytes),
            correlation_id: self.correlation_id.map(uuid::Uuid::into_bytes),
            platform: self.platform.into_bytes(),
            data: self.data.as_ref(),
            sealed_hash,
        })
    }
}

impl RawCommit {
    /// Returns the statement that is signed for this commit of the log `origin`. `head` is the tree after the commit.
    #[must_use]
    pub fn root(&self, origin: &str, shard: Shard, head: TreeHead) -> CommitRoot {
        CommitRoot {
            origin: origin.to_owned(),
            shard,
            commit_no: self.commit_no,
            batch: self.batch.into_bytes(),
            writer: self.writer.into_bytes(),
            recorded_at_us: self.recorded_at_us,
            head,
        }
    }
}
