//! Lengths of tiles: they follow from the number of leaves in tiles, and upper tiles follow from the tiles below.

use std::collections::BTreeMap;

use daybook_proof::{Frontier, Growth, Hash, Tile};

use super::{FULL_TILE_BYTES, WIDTH};
use crate::Position;

/// Returns the upper tiles that do not have the length that `tiled` leaves require, lower levels first. A `width` of 0
/// marks a tile that must not exist. `found` has the number of bytes of each stored tile.
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

/// Returns the full tiles of the level below, from which this tile is computed.
pub(super) fn below(tile: Tile) -> impl Iterator<Item = Tile> {
    let level = tile.level.saturating_sub(1);
    let first = tile.index.saturating_mul(WIDTH);
    (first..first.saturating_add(tile.width.into())).map(move |index| Tile { level, index, width: 256 })
}

/// Returns the hash that stands for a full tile in the tile above it; `None` if the tile is not full.
pub(super) fn root(bytes: &[u8]) -> Option<Hash> {
    let (hashes, rest) = bytes.as_chunks();
    let is_full = rest.is_empty() && bytes.len() == FULL_TILE_BYTES;
    is_full.then(|| Growth::new(&Frontier::default(), hashes.iter().copied()).head().root)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the lengths of the upper tiles for this number of leaves.
    fn shape(tiled: Position) -> BTreeMap<(u8, u64), usize> {
        let upper = Tile::all(tiled).filter(|tile| tile.level > 0);
        upper.map(|tile| ((tile.level, tile.index), usize::from(tile.width) * 32)).collect()
    }

    #[test]
    fn matching_tiles_are_accepted() {
        for tiled in [0, 256, 512, 65_536, 65_792, 16_777_216 + 131_072] {
            assert_eq!(wrong(tiled, &shape(tiled)), vec![], "{tiled}");
        }
    }

    #[test]
    fn missing_short_and_surplus_tiles_are_found() {
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
