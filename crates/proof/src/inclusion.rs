//! That a leaf is in a tree: the hashes beside its path to the root, RFC 6962 section 2.1.1.

use alloc::vec::Vec;
use core::ops::Range;

use crate::error::Error;
use crate::range;
use crate::tree::{Hash, Hashes, Node, TreeHead, node_hash};

/// The hashes beside the path from the leaf at this index to the root of the first `size` leaves, the leaf's neighbour
/// first.
pub fn prove(source: &impl Hashes, index: u64, size: u64) -> Result<Vec<Hash>, Error> {
    siblings(index, size)?.into_iter().map(|sibling| range::hash(source, sibling)).collect()
}

/// The subtrees whose hashes [`prove`] will ask for.
pub fn needs(index: u64, size: u64) -> Result<Vec<Node>, Error> {
    Ok(siblings(index, size)?.into_iter().flat_map(range::nodes).collect())
}

/// Checks that the leaf with this hash is at this index of the tree. Both size and root must come from one signed head:
/// a path alone does not tell every size from every other one.
pub fn verify(leaf: &Hash, index: u64, path: &[Hash], head: &TreeHead) -> Result<(), Error> {
    let Some(last) = head.size.checked_sub(1).filter(|last| index <= *last) else {
        return Err(Error::OutOfRange);
    };
    let mut hash = *leaf;
    let mut path = path.iter();
    let (mut at, mut end) = (index, last);
    // From the leaf up; at the right edge of the tree a subtree without neighbour goes up as it is.
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

/// What is beside the path, from the leaf up.
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
