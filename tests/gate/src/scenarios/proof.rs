//! Proofs of a commit: the leaves of a batch with the growth of the tree, and the signature of the root.

use std::hint::black_box;

use daybook_engine::SHARD;
use daybook_log::Recorded;
use daybook_proof::{CommitRoot, Frontier, Growth, Hash, Leaf, Signer};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::Work;
use crate::history;

/// Number of events of 256 payments.
const LEAVES: usize = 512;

pub(super) fn hash() -> Work {
    let events = history::recorded();
    let (before, added) = events.split_at(events.len() - LEAVES);
    let before = Growth::new(&Frontier::default(), before.iter().map(leaf_hash)).frontier().clone();
    let added = added.to_vec();
    Box::new(move || {
        black_box(Growth::new(&before, added.iter().map(leaf_hash)).head());
    })
}

pub(super) fn sign() -> Work {
    let signer = Signer::new("daybook.example/1", &[8; 32]).expect("an origin");
    let head = Growth::new(&Frontier::default(), [[1; 32], [2; 32]]).head();
    let mut commit_no = 0;
    Box::new(move || {
        commit_no += 1;
        let origin = signer.key().name().to_owned();
        let recorded_at_us = 1_795_305_600_000_000;
        let root = CommitRoot {
            origin,
            shard: SHARD,
            commit_no,
            batch: [3; 16],
            writer: [4; 16],
            recorded_at_us,
            head,
        };
        black_box(root.sign(&signer).expect("an origin"));
    })
}

/// Returns the leaf hash of an event. The box is hashed first, as in the writer.
fn leaf_hash(recorded: &Recorded) -> Hash {
    let event = &recorded.event;
    let leaf = Leaf {
        shard: SHARD,
        position: recorded.position,
        event_id: event.event_id.into_bytes(),
        stream: event.stream.into_bytes(),
        stream_kind: event.stream_kind,
        version: i32::try_from(event.version).expect("a short stream"),
        event_type: event.event_type,
        schema_version: event.schema_version,
        recorded_at_us: recorded.recorded_at_ms * 1_000,
        effective_at_us: event.effective_at_ms.map(|at| at * 1_000),
        actor: event.actor.map(Uuid::into_bytes),
        cause_id: Some(event.cause_id.into_bytes()),
        correlation_id: None,
        platform: event.platform.into_bytes(),
        data: &event.data,
        sealed_hash: event.sealed.as_ref().map(|sealed| Sha256::digest(sealed).into()),
    };
    leaf.hash()
}
