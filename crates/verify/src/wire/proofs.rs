//! JSON types of receipts, consistency proofs and balance proofs.

use daybook_proof::{self as proof, CommitRoot, Signature, TreeHead};
use serde::Deserialize;

use super::{Bytes, Hash, Id, Included, hashes};

/// A receipt.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Receipt {
    position: u64,
    leaf_hash: Hash,
    path: Option<Vec<Hash>>,
    commit: Signed,
    signature: Bytes,
}

/// Statement that was signed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Signed {
    origin: String,
    shard: i16,
    commit_no: u64,
    batch: Id,
    writer: Id,
    recorded_at_us: i64,
    size: u64,
    root: Hash,
}

impl Receipt {
    /// Converts the JSON to a receipt; `None` if the signature does not have 68 bytes.
    pub(crate) fn read(self) -> Option<proof::Receipt> {
        let Signed { origin, shard, commit_no, batch, writer, recorded_at_us, size, root } = self.commit;
        let head = TreeHead { size, root: root.0 };
        Some(proof::Receipt {
            position: self.position,
            leaf_hash: self.leaf_hash.0,
            root: CommitRoot {
                origin,
                shard,
                commit_no,
                batch: batch.0,
                writer: writer.0,
                recorded_at_us,
                head,
            },
            signature: Signature::from_bytes(&self.signature.0)?,
            path: self.path.as_deref().map(hashes),
        })
    }
}

/// A consistency proof.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Consistency {
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) proof: Vec<Hash>,
}

/// A balance proof.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Balance {
    pub(crate) account: Id,
    pub(crate) at: u64,
    pub(crate) entry: Option<Included>,
    pub(crate) next: Option<Included>,
    pub(crate) last: Option<Last>,
    pub(crate) checkpoint: String,
}

/// Inclusion of an entry in a tree of last entries.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Last {
    pub(crate) committed: Included,
    pub(crate) index: u64,
    pub(crate) path: Vec<Hash>,
}

/// Data of the event that commits to such a tree.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LastTree {
    position: u64,
    accounts: u64,
    root: Hash,
}

impl From<LastTree> for proof::LastTree {
    fn from(tree: LastTree) -> Self {
        Self { position: tree.position, head: TreeHead { size: tree.accounts, root: tree.root.0 } }
    }
}
