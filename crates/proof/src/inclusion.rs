//! Inclusion proofs: a leaf is in a tree. The proof has the sibling hashes on the path to the root. RFC 6962, section
//! 2.1.1.

use alloc::vec::Vec;
use core::ops::Range;

use crate::error::Error;
use crate::range;
use crate::tree::{Hash, Hashes, Node, TreeHead, node_hash};

/// Returns the sibling hashes on the path from the leaf at `index` to the root of the first `size` leaves, the leaf's
/// own sibling first.
pub fn prove(source: &impl Hashes, index: u64, size: u64) -> Result<Vec<Hash>, Error> {
    siblings(index, size)?.into_iter().map(|sibling| range::hash(source, sibling)).collect()
}

/// Returns the subtrees whose hashes [`prove`] needs.
pub fn needs(index: u64, size: u64) -> Result<Vec<Node>, Error> {
    Ok(siblings(index, size)?.into_iter().flat_map(range::nodes).collect())
}

/// Verifies that the leaf with this hash is at `index` of the tree. Size and root have to come from one signed head: a
/// path alone does not distinguish all sizes.
pub fn verify(leaf: &Hash, index: u64, path: &[Hash], head: &TreeHead) -> Result<(), Error> {
    let Some(last) = head.size.checked_sub(1).filter(|last| index <= *last) else {
        return Err(Error::OutOfRange);
    };
    let mut hash = *leaf;
    let mut path = path.iter();
    let (mut at, mut end) = (index, last);
    // From the leaf upwards. At the right edge of the tree a subtree without sibling moves up unchanged.
    while end > 0 {
        if at & 1 == 1 {
            hash = node_hash(path.next().ok_or(Error::Length)?, &hash);
        } else if at < end {
            hash = node_hash(&hash, path.next().ok_or(Error::Length)?);
        }
        at >>= 1;
        end >>= 1;
    }
    if path.next().is_some() {
        return Err(Error::Length);
    }
    if hash == head.root { Ok(()) } else { Err(Error::Root) }
}

/// Returns the siblings of the path, from the leaf upwards.
fn siblings(index: u64, size: u64) -> Result<Vec<Range<u64>>, Error> {
    if index >= size {
        return Err(Error::OutOfRange);
    }
    let mut inside = 0..size;
    let mut found = Vec::new();
    while inside.end - inside.start > 1 {
        let middle = range::middle(&inside);
        let (left, right) = (inside.start..middle, middle..inside.end);
        let beside = if index < middle { (left, right) } else { (right, left) };
        inside = beside.0;
        found.push(beside.1);
    }
    found.reverse();
    Ok(found)
}
