//! Receipts: signed inclusion proofs that clients keep, so that the log cannot deny a write.

use alloc::vec::Vec;

use crate::checkpoint::Checkpoint;
use crate::consistency;
use crate::error::Error;
use crate::inclusion;
use crate::key::{Key, Signature};
use crate::leaf::Leaf;
use crate::root::CommitRoot;
use crate::tree::Hash;

/// An event's position and leaf hash, with the signed root of the commit that recorded the event.
///
/// The signature covers the root. Only the path ties the event to the root, so a receipt without a path proves nothing
/// about an event. The writer can add the path immediately, by [`crate::Growth::prove`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Position of the event in the log.
    pub position: u64,
    /// Hash of its leaf.
    pub leaf_hash: Hash,
    /// Statement that was signed.
    pub root: CommitRoot,
    /// Signature of the statement.
    pub signature: Signature,
    /// Sibling hashes on the path from the leaf to the root, if they are available.
    pub path: Option<Vec<Hash>>,
}

impl Receipt {
    /// Verifies only the signature: the log has promised this root.
    pub fn verify_signature(&self, keys: &[Key]) -> Result<(), Error> {
        self.root.verify(&self.signature, keys)
    }

    /// Verifies that the log has promised an event with this leaf at this position.
    pub fn verify(&self, keys: &[Key]) -> Result<(), Error> {
        let path = self.path.as_deref().ok_or(Error::NoPath)?;
        let index = self.position.checked_sub(1).ok_or(Error::OutOfRange)?;
        inclusion::verify(&self.leaf_hash, index, path, &self.root.head)?;
        self.verify_signature(keys)
    }

    /// Checks that the receipt is about the event `leaf`. Does not verify the receipt itself.
    pub fn is_of(&self, leaf: &Leaf<'_>) -> Result<(), Error> {
        let same = leaf.shard == self.root.shard && leaf.position == self.position;
        if same && leaf.hash() == self.leaf_hash { Ok(()) } else { Err(Error::Other) }
    }

    /// Verifies by a consistency proof that the tree of a later checkpoint still contains the tree of the receipt.
    pub fn verify_kept(&self, proof: &[Hash], later: &Checkpoint) -> Result<(), Error> {
        if self.root.origin != later.origin {
            return Err(Error::Other);
        }
        consistency::verify(proof, &self.root.head, &later.head)
    }
}
