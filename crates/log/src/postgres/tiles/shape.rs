//! The shape of tiles: how long each has to be follows from how many leaves are in tiles, and upper ones from those below.

use std::collections::BTreeMap;

use daybook_proof::{Frontier, Growth, Hash, Tile};

use super::{FULL, WIDTH};
use crate::Position;

/// The tiles above those of leaves that are not as long as `tiled` leaves make them, lower ones first; a `width` of 0 is of one
/// that may not be there. `found` says how many bytes each has that is there.
pub(super) fn wrong(tiled: Position, found: &BTreeMap<(u8, u64), usize>) -> Vec<Tile> {
    let due = Tile::all(tiled).filter(|tile| tile.level > 0);
    let mut lengths: BTreeMap<(u8, u64), u16> = found.keys().map(|place| (*place, 0)).collect();
    lengths.extend(due.map(|tile| ((tile.level, tile.index), tile.width)));
    let is_wrong = |(place, width): &((u8, u64), u16)| {
        found.get(place).copied().unwrap_or(0) != usize::from(*width) * size_of::<Hash>()
    };
    let wrong = lengths.into_iter().filter(is_wrong);
    wrong.map(|((level, index), width)| Tile { level, index, width }).collect()
}

/// The tiles below from which this one follows: full ones.
pub(super) fn below(tile: Tile) -> impl Iterator<Item = Tile> {
    let level = tile.level.saturating_sub(1);
    let first = tile.index.saturating_mul(WIDTH);
    (first..first.saturating_add(tile.width.into())).map(move |index| Tile { level, index, width: 256 })
}

/// The hash in an upper tile that stands for a full tile below it; none if that is not full.
pub(super) fn root(bytes: &[u8]) -> Option<Hash> {
    let (hashes, rest) = bytes.as_chunks();
    let is_full = rest.is_empty() && bytes.len() == FULL;
    is_full.then(|| Growth::new(&Frontier::default(), hashes.iter().copied()).head().root)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tiles of so many leaves.
    fn shape(tiled: Position) -> BTreeMap<(u8, u64), usize> {
        let upper = Tile::all(tiled).filter(|tile| tile.level > 0);
        upper.map(|tile| ((tile.level, tile.index), usize::from(tile.width) * 32)).collect()
    }

    #[test]
    fn tiles_that_fit_each_other_are_not_wrong() {
        for tiled in [0, 256, 512, 65_536, 65_792, 16_777_216 + 131_072] {
            assert_eq!(wrong(tiled, &shape(tiled)), vec![], "{tiled}");
        }
    }

    #[test]
    fn missing_short_and_surplus_tiles_are_wrong() {
        let tiled = 65_536 + 512;
        let mut found = shape(tiled);
        found.insert((1, 1), 32);
        found.remove(&(2, 0));
        found.insert((3, 0), 32);
        let places: Vec<_> =
            wrong(tiled, &found).iter().map(|tile| (tile.level, tile.index, tile.width)).collect();
        assert_eq!(places, [(1, 1, 2), (2, 0, 1), (3, 0, 0)]);
    }
}
