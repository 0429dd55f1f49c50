//! Merkle tree of RFC 6962 over an append-only list, and the frontier from which it grows.

use alloc::vec::Vec;

use sha2::{Digest as _, Sha256};

use crate::error::Error;
use crate::range;

/// A SHA-256 hash.
pub type Hash = [u8; 32];

/// A complete subtree: the one at `index` among those of `2^level` leaves. Its hash never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Node {
    /// Height of the subtree; 0 for a leaf.
    pub level: u8,
    /// Number of subtrees of the same height to its left.
    pub index: u64,
}

/// Size of a tree and its root hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeHead {
    /// Number of leaves. In a log it is the position of the last event.
    pub size: u64,
    /// Root hash.
    pub root: Hash,
}

/// Source of the hashes of complete subtrees.
pub trait Hashes {
    /// Returns the hash of this subtree, if it is available.
    fn hash(&self, node: Node) -> Option<Hash>;
}

impl<F: Fn(Node) -> Option<Hash>> Hashes for F {
    fn hash(&self, node: Node) -> Option<Hash> {
        self(node)
    }
}

/// Returns the hash of a leaf: SHA-256 of a zero byte and the leaf's bytes.
#[must_use]
pub fn leaf_hash(bytes: &[u8]) -> Hash {
    Sha256::new_with_prefix([0]).chain_update(bytes).finalize().into()
}

/// Returns the hash of two sibling subtrees: SHA-256 of a one byte and both hashes.
#[must_use]
pub fn node_hash(left: &Hash, right: &Hash) -> Hash {
    Sha256::new_with_prefix([1]).chain_update(left).chain_update(right).finalize().into()
}

/// Returns the root of a tree without leaves: SHA-256 of nothing.
#[must_use]
pub fn empty_root() -> Hash {
    Sha256::digest([]).into()
}

/// Returns the head of the first `size` leaves.
pub fn head(source: &impl Hashes, size: u64) -> Result<TreeHead, Error> {
    let root = if size == 0 { empty_root() } else { range::hash(source, 0..size)? };
    Ok(TreeHead { size, root })
}

/// Returns the root of adjacent subtrees of decreasing size. They are joined from the right.
pub(crate) fn join<'a>(hashes: impl DoubleEndedIterator<Item = &'a Hash>) -> Option<Hash> {
    hashes.rev().copied().reduce(|right, left| node_hash(&left, &right))
}

/// Hashes from which a tree can grow (compact range): those of its largest complete subtrees, from left to right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frontier {
    size: u64,
    hashes: Vec<Hash>,
}

impl Frontier {
    /// Restores the frontier of a tree of this size. Fails if the number of hashes does not fit the size.
    pub fn restore(size: u64, hashes: Vec<Hash>) -> Result<Self, Error> {
        if usize::try_from(size.count_ones()).is_ok_and(|ones| ones == hashes.len()) {
            Ok(Self { size, hashes })
        } else {
            Err(Error::Length)
        }
    }

    /// Creates the frontier of a tree of this size from hashes that fit it by construction.
    pub(crate) fn of(size: u64, hashes: Vec<Hash>) -> Self {
        Self { size, hashes }
    }

    /// Reads the frontier of the first `size` leaves from stored hashes.
    pub fn read(source: &impl Hashes, size: u64) -> Result<Self, Error> {
        let hash = |node| source.hash(node).ok_or(Error::Missing(node));
        Ok(Self { size, hashes: Self::needs(size).into_iter().map(hash).collect::<Result<_, _>>()? })
    }

    /// Returns the subtrees of which the frontier of a tree of this size has the hashes, in order.
    #[must_use]
    pub fn needs(size: u64) -> Vec<Node> {
        range::nodes(0..size).collect()
    }

    /// Adds a leaf by its hash.
    pub fn push(&mut self, leaf: Hash) {
        let mut hash = leaf;
        for _ in 0..self.size.trailing_ones() {
            if let Some(left) = self.hashes.pop() {
                hash = node_hash(&left, &hash);
            }
        }
        self.hashes.push(hash);
        self.size += 1;
    }

    /// Returns the number of leaves.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the hashes to store for [`Frontier::restore`].
    #[must_use]
    pub fn hashes(&self) -> &[Hash] {
        &self.hashes
    }

    /// Returns size and root.
    #[must_use]
    pub fn head(&self) -> TreeHead {
        TreeHead { size: self.size, root: join(self.hashes.iter()).unwrap_or_else(empty_root) }
    }
}
