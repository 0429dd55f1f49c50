//! Ranges of leaves that have one hash in a tree, and the subtrees that they consist of.

use alloc::vec::Vec;
use core::iter;
use core::ops::Range;

use crate::error::Error;
use crate::tree::{Hash, Hashes, Node, join};

/// Returns the complete subtrees of a range, the largest first. The start of the range has to be aligned to its size.
pub(crate) fn nodes(range: Range<u64>) -> impl Iterator<Item = Node> {
    let mut start = range.start;
    iter::from_fn(move || {
        let level = range.end.checked_sub(start)?.checked_ilog2()?;
        let node = Node { level: u8::try_from(level).ok()?, index: start >> level };
        start += 1 << level;
        Some(node)
    })
}

/// Returns the hash of a range.
pub(crate) fn hash(source: &impl Hashes, range: Range<u64>) -> Result<Hash, Error> {
    let read = |node| source.hash(node).ok_or(Error::Missing(node));
    let hashes = nodes(range).map(read).collect::<Result<Vec<_>, _>>()?;
    join(hashes.iter()).ok_or(Error::OutOfRange)
}

/// Returns the start of the right half of a range of two or more leaves. The left half has the largest power of two of
/// leaves that leaves at least one for the right half.
pub(crate) fn middle(range: &Range<u64>) -> u64 {
    range.start + (1 << (range.end - range.start - 1).ilog2())
}
