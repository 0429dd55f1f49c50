//! Consistency proofs: a tree is a prefix of a larger one, so nothing was changed or removed. RFC 6962, section 2.1.2.

use alloc::vec::Vec;
use core::ops::Range;

use crate::error::Error;
use crate::range;
use crate::tree::{Hash, Hashes, Node, TreeHead, empty_root, node_hash};

/// Returns the hashes that lead from the first `from` leaves to both roots; none if the sizes are equal or `from` is 0.
pub fn prove(source: &impl Hashes, from: u64, to: u64) -> Result<Vec<Hash>, Error> {
    parts(from, to)?.into_iter().map(|part| range::hash(source, part)).collect()
}

/// Returns the subtrees whose hashes [`prove`] needs.
pub fn needs(from: u64, to: u64) -> Result<Vec<Node>, Error> {
    Ok(parts(from, to)?.into_iter().flat_map(range::nodes).collect())
}

/// Verifies that the leaves of the tree `old` are the first leaves of the tree `new`.
pub fn verify(proof: &[Hash], old: &TreeHead, new: &TreeHead) -> Result<(), Error> {
    if old.size > new.size {
        return Err(Error::OutOfRange);
    }
    if old.size == 0 || old.size == new.size {
        let root = if old.size == 0 { empty_root() } else { new.root };
        return match proof {
            [] if old.root == root => Ok(()),
            [] => Err(Error::Root),
            [..] => Err(Error::Length),
        };
    }
    let mut proof = proof.iter();
    // The largest subtree that both trees have. It is the whole old tree if its size is a power of two.
    let shared = (old.size - 1).trailing_ones();
    let (mut at, mut end) = ((old.size - 1) >> shared, (new.size - 1) >> shared);
    let first = if at == 0 { old.root } else { *proof.next().ok_or(Error::Length)? };
    let (mut old_root, mut new_root) = (first, first);
    while end > 0 {
        if at & 1 == 1 {
            let left = proof.next().ok_or(Error::Length)?;
            old_root = node_hash(left, &old_root);
            new_root = node_hash(left, &new_root);
        } else if at < end {
            new_root = node_hash(&new_root, proof.next().ok_or(Error::Length)?);
        }
        at >>= 1;
        end >>= 1;
    }
    if proof.next().is_some() {
        return Err(Error::Length);
    }
    if (old_root, new_root) == (old.root, new.root) { Ok(()) } else { Err(Error::Root) }
}

/// Returns the ranges of leaves that a proof consists of, from the end of the old tree upwards.
fn parts(from: u64, to: u64) -> Result<Vec<Range<u64>>, Error> {
    if from > to {
        return Err(Error::OutOfRange);
    }
    if from == 0 {
        return Ok(Vec::new());
    }
    let mut inside = 0..to;
    let mut found = Vec::new();
    while inside.end != from {
        let middle = range::middle(&inside);
        let (left, right) = (inside.start..middle, middle..inside.end);
        let beside = if from <= middle { (left, right) } else { (right, left) };
        inside = beside.0;
        found.push(beside.1);
    }
    // The verifier knows the root of the old tree.
    if inside.start > 0 {
        found.push(inside);
    }
    found.reverse();
    Ok(found)
}
