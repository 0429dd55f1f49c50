//! Growth of a tree by the leaves of a commit: the new root, the inclusion path of each new leaf, and the hashes to
//! store.

use alloc::vec::Vec;

use crate::error::Error;
use crate::tree::{Frontier, Hash, Hashes, Node, TreeHead, node_hash};

/// A tree after leaves were added, as far as it differs from the tree before. About two hashes per leaf are computed,
/// once.
#[derive(Clone, Debug)]
pub struct Growth {
    before: u64,
    levels: Vec<Level>,
    /// Hash of the last subtree of each level, complete or not. A path with this sibling needs no further hashing.
    edge: Vec<Hash>,
    frontier: Frontier,
}

/// Adjacent hashes of one level. If the first new subtree has a left sibling, the hash of that sibling comes first.
#[derive(Clone, Debug)]
struct Level {
    first: u64,
    hashes: Vec<Hash>,
}

impl Level {
    fn get(&self, index: u64) -> Option<&Hash> {
        self.hashes.get(usize::try_from(index.checked_sub(self.first)?).ok()?)
    }
}

impl Growth {
    /// Grows the tree `before` by leaves with these hashes.
    #[must_use]
    pub fn new(before: &Frontier, leaves: impl IntoIterator<Item = Hash>) -> Self {
        let mut peaks = before.hashes().iter().rev();
        let mut new: Vec<Hash> = leaves.into_iter().collect();
        let size = before.size() + new.len() as u64;
        let mut levels = Vec::new();
        let mut frontier = Vec::new();
        for level in 0..size.checked_ilog2().map_or(0, |top| top + 1) {
            let start = before.size() >> level;
            let mut hashes = Vec::with_capacity(new.len() + 1);
            if start & 1 == 1 {
                hashes.extend(peaks.next());
            }
            hashes.append(&mut new);
            new = hashes.as_chunks().0.iter().map(|[left, right]| node_hash(left, right)).collect();
            if (size >> level) & 1 == 1 {
                frontier.extend(hashes.last());
            }
            levels.push(Level { first: start & !1, hashes });
        }
        frontier.reverse();
        let edge = edge(&levels, size);
        Self { before: before.size(), levels, edge, frontier: Frontier::of(size, frontier) }
    }

    /// Returns the frontier of the grown tree.
    #[must_use]
    pub fn frontier(&self) -> &Frontier {
        &self.frontier
    }

    /// Returns the hashes of the new leaves.
    #[must_use]
    pub fn leaves(&self) -> &[Hash] {
        let Some(Level { first, hashes }) = self.levels.first() else { return &[] };
        // At most one hash comes before them.
        hashes.get(usize::from(self.before > *first)..).unwrap_or_default()
    }

    /// Returns size and root of the grown tree.
    #[must_use]
    pub fn head(&self) -> TreeHead {
        self.frontier.head()
    }

    /// Returns the inclusion path of a new leaf in the grown tree, as [`crate::inclusion::prove`] does.
    pub fn prove(&self, index: u64) -> Result<Vec<Hash>, Error> {
        let last = self.frontier.size().checked_sub(1);
        let last = last.filter(|last| (self.before..=*last).contains(&index)).ok_or(Error::OutOfRange)?;
        let mut path = Vec::with_capacity(self.levels.len());
        for ((height, level), edge) in (0..).zip(&self.levels).zip(&self.edge) {
            let (at, end) = (index >> height, last >> height);
            let beside = at ^ 1;
            // A last subtree without right sibling moves up unchanged.
            if beside <= end {
                let hash = if beside == end { Some(edge) } else { level.get(beside) };
                path.push(*hash.ok_or(Error::Missing(Node { level: height, index: beside }))?);
            }
        }
        Ok(path)
    }

    /// Returns every subtree that was not complete before, with its hash. A store of hashes adds these.
    pub fn complete(&self) -> impl Iterator<Item = (Node, Hash)> {
        self.levels.iter().zip(0..).flat_map(|(level, height)| {
            let old = self.before >> height;
            let nodes = (level.first..).map(move |index| Node { level: height, index });
            nodes.zip(level.hashes.iter().copied()).filter(move |(node, _)| node.index >= old)
        })
    }
}

impl Hashes for Growth {
    fn hash(&self, node: Node) -> Option<Hash> {
        self.levels.get(usize::from(node.level))?.get(node.index).copied()
    }
}

/// Returns the hash of the last subtree of each level of a tree of this size.
fn edge(levels: &[Level], size: u64) -> Vec<Hash> {
    let Some((leaves, last)) = levels.first().zip(size.checked_sub(1)) else { return Vec::new() };
    let mut next = leaves.get(last).copied();
    let edge = (0..).zip(levels).map_while(|(height, level)| {
        let (hash, at) = (next?, last >> height);
        next = if at & 1 == 1 { level.get(at - 1).map(|left| node_hash(left, &hash)) } else { Some(hash) };
        Some(hash)
    });
    edge.collect()
}
