//! The hash tree of RFC 6962 over a list that only grows, and its frontier, by which it grows.

use alloc::vec::Vec;

use sha2::{Digest as _, Sha256};

use crate::error::Error;
use crate::range;

/// SHA-256 of something.
pub type Hash = [u8; 32];

/// A subtree whose leaves are all there: the `index`th one of `2^level` leaves. Its hash never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Node {
    /// How high it is; a leaf is 0.
    pub level: u8,
    /// How many of its size are left of it.
    pub index: u64,
}

/// How many leaves a tree has, and the hash of all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeHead {
    /// Number of leaves; in a log the position of the last event.
    pub size: u64,
    /// The root.
    pub root: Hash,
}

/// Where the hashes of complete subtrees are read.
pub trait Hashes {
    /// The hash of this subtree, if it is there.
    fn hash(&self, node: Node) -> Option<Hash>;
}

impl<F: Fn(Node) -> Option<Hash>> Hashes for F {
    fn hash(&self, node: Node) -> Option<Hash> {
        self(node)
    }
}

/// The hash of a leaf: SHA-256 of a zero byte and its bytes.
#[must_use]
pub fn leaf_hash(bytes: &[u8]) -> Hash {
    Sha256::new_with_prefix([0]).chain_update(bytes).finalize().into()
}

/// The hash of two subtrees side by side: SHA-256 of a one and both hashes.
#[must_use]
pub fn node_hash(left: &Hash, right: &Hash) -> Hash {
    Sha256::new_with_prefix([1]).chain_update(left).chain_update(right).finalize().into()
}

/// The root of a tree without leaves: SHA-256 of nothing.
#[must_use]
pub fn empty_root() -> Hash {
    Sha256::digest([]).into()
}

/// The head of the first `size` leaves.
pub fn head(source: &impl Hashes, size: u64) -> Result<TreeHead, Error> {
    let root = if size == 0 { empty_root() } else { range::hash(source, 0..size)? };
    Ok(TreeHead { size, root })
}

/// The root of a list of subtrees of falling size, the last one first joined.
pub(crate) fn join<'a>(hashes: impl DoubleEndedIterator<Item = &'a Hash>) -> Option<Hash> {
    hashes.rev().copied().reduce(|right, left| node_hash(&left, &right))
}

/// The few hashes from which a tree can grow: those of its largest complete subtrees, from left to right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frontier {
    size: u64,
    hashes: Vec<Hash>,
}

impl Frontier {
    /// That of a tree which was put away. Fails if these are not as many hashes as a tree of this size has.
    pub fn restore(size: u64, hashes: Vec<Hash>) -> Result<Self, Error> {
        if usize::try_from(size.count_ones()).is_ok_and(|ones| ones == hashes.len()) {
            Ok(Self { size, hashes })
        } else {
            Err(Error::Length)
        }
    }

    /// That of a tree of this size, whose hashes these are by construction.
    pub(crate) fn of(size: u64, hashes: Vec<Hash>) -> Self {
        Self { size, hashes }
    }

    /// That of the first `size` leaves, read from stored hashes.
    pub fn read(source: &impl Hashes, size: u64) -> Result<Self, Error> {
        let hash = |node| source.hash(node).ok_or(Error::Missing(node));
        Ok(Self { size, hashes: Self::needs(size).into_iter().map(hash).collect::<Result<_, _>>()? })
    }

    /// The subtrees whose hashes the frontier of a tree of this size is, in its order.
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

    /// Number of leaves.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// What is put away for [`Frontier::restore`].
    #[must_use]
    pub fn hashes(&self) -> &[Hash] {
        &self.hashes
    }

    /// Size and root.
    #[must_use]
    pub fn head(&self) -> TreeHead {
        TreeHead { size: self.size, root: join(self.hashes.iter()).unwrap_or_else(empty_root) }
    }
}
