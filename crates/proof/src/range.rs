//! Ranges of leaves that have one hash in a tree, and how the tree is cut into them.

use alloc::vec::Vec;
use core::iter;
use core::ops::Range;

use crate::error::Error;
use crate::tree::{Hash, Hashes, Node, join};

/// The complete subtrees that a range consists of, the largest first. The range begins where one of its size may begin.
pub(crate) fn nodes(range: Range<u64>) -> impl Iterator<Item = Node> {
    let mut start = range.start;
    iter::from_fn(move || {
        let level = range.end.checked_sub(start)?.checked_ilog2()?;
        let node = Node { level: u8::try_from(level).ok()?, index: start >> level };
        start += 1 << level;
        Some(node)
    })
}

/// The hash of a range.
pub(crate) fn hash(source: &impl Hashes, range: Range<u64>) -> Result<Hash, Error> {
    let read = |node| source.hash(node).ok_or(Error::Missing(node));
    let hashes = nodes(range).map(read).collect::<Result<Vec<_>, _>>()?;
    join(hashes.iter()).ok_or(Error::OutOfRange)
}

/// Where the right half of a range of two leaves or more begins: after the largest power of two that leaves something.
pub(crate) fn middle(range: &Range<u64>) -> u64 {
    range.start + (1 << (range.end - range.start - 1).ilog2())
}
