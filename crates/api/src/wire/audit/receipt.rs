//! Receipts: signed promises of the log that contain a write, for the client that made it.

use daybook_proof::{CommitRoot, Receipt as Proved};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Base64;

/// Initial capacity in bytes: more than a receipt needs in a log of a billion events.
const INITIAL_CAPACITY_BYTES: usize = 2048;

/// Receipt of a write: position and leaf hash of the event, its path to the root of the commit, and the signature of
/// the commit.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Receipt {
    position: u64,
    #[schema(value_type = String)]
    leaf_hash: Base64<32>,
    #[schema(value_type = Option<Vec<String>>)]
    path: Option<Vec<Base64<32>>>,
    commit: Commit,
    #[schema(value_type = String)]
    signature: Base64<68>,
}

/// Signed data of a commit: the log's origin, the commit, and the size and root of the tree after it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = CommitRoot)]
struct Commit {
    origin: String,
    shard: i16,
    commit_no: u64,
    batch: String,
    writer: String,
    recorded_at_us: i64,
    size: u64,
    #[schema(value_type = String)]
    root: Base64<32>,
}

impl From<&Proved> for Receipt {
    fn from(proved: &Proved) -> Self {
        let Proved { position, leaf_hash, root, signature, path } = proved;
        let CommitRoot { origin, shard, commit_no, batch, writer, recorded_at_us, head } = root;
        let commit = Commit {
            origin: origin.clone(),
            shard: *shard,
            commit_no: *commit_no,
            batch: Uuid::from_bytes(*batch).to_string(),
            writer: Uuid::from_bytes(*writer).to_string(),
            recorded_at_us: *recorded_at_us,
            size: head.size,
            root: Base64(head.root),
        };
        Self {
            position: *position,
            leaf_hash: Base64(*leaf_hash),
            path: path.as_ref().map(|path| path.iter().copied().map(Base64).collect()),
            commit,
            signature: Base64(signature.to_bytes()),
        }
    }
}

/// Serializes a receipt on one line, for a header.
#[must_use]
pub fn line(receipt: &Proved) -> Vec<u8> {
    let mut line = Vec::with_capacity(INITIAL_CAPACITY_BYTES);
    // Strings, numbers and lists of them always serialize.
    if serde_json::to_writer(&mut line, &Receipt::from(receipt)).is_err() {
        line.clear();
    }
    line
}
