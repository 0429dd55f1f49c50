//! Receipts: what a client keeps of a write, so that the log cannot deny it.

use alloc::vec::Vec;

use crate::checkpoint::Checkpoint;
use crate::consistency;
use crate::error::Error;
use crate::inclusion;
use crate::key::{Key, Signature};
use crate::leaf::Leaf;
use crate::root::CommitRoot;
use crate::tree::Hash;

/// A place in the log, what is there, and the signed root of the commit that put it there.
///
/// The signature is about the root. What ties the event to it is the path, so a receipt proves nothing about an event
/// before it has one; the writer has what it takes to give it at once, [`crate::Growth::prove`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Place of the event in the log.
    pub position: u64,
    /// The hash of its leaf.
    pub leaf_hash: Hash,
    /// What was signed.
    pub root: CommitRoot,
    /// The signature.
    pub signature: Signature,
    /// The way from the leaf to the root, if it is there.
    pub path: Option<Vec<Hash>>,
}

impl Receipt {
    /// Checks the signature only: that the log has promised this root.
    pub fn verify_signature(&self, keys: &[Key]) -> Result<(), Error> {
        self.root.verify(&self.signature, keys)
    }

    /// Checks that the log has promised an event with this leaf at this position.
    pub fn verify(&self, keys: &[Key]) -> Result<(), Error> {
        let path = self.path.as_deref().ok_or(Error::NoPath)?;
        let index = self.position.checked_sub(1).ok_or(Error::OutOfRange)?;
        inclusion::verify(&self.leaf_hash, index, path, &self.root.head)?;
        self.verify_signature(keys)
    }

    /// Checks that this row is the event that the receipt is about. Does not check the receipt.
    pub fn is_of(&self, leaf: &Leaf<'_>) -> Result<(), Error> {
        let same = leaf.shard == self.root.shard && leaf.position == self.position;
        if same && leaf.hash() == self.leaf_hash { Ok(()) } else { Err(Error::Other) }
    }

    /// Checks that the log of a later checkpoint still has what was promised, by a proof of consistency between the
    /// receipt's tree and that one.
    pub fn verify_kept(&self, proof: &[Hash], later: &Checkpoint) -> Result<(), Error> {
        if self.root.origin != later.origin {
            return Err(Error::Other);
        }
        consistency::verify(proof, &self.root.head, &later.head)
    }
}
