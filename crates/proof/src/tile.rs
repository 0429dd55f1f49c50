//! Tiles: 256 adjacent hashes each, as files that never change, in the layout of C2SP tlog-tiles.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::error::Error;
use crate::tree::{Hash, Hashes, Node, node_hash};

/// Number of hashes of a full tile.
pub const WIDTH: u16 = 256;

/// Number of levels of the tree that one level of tiles stands for.
const HEIGHT: u8 = 8;

/// Prefix of the path of every tile.
const FOLDER: &str = "tile/";

/// Place and width of a tile. It has `width` hashes from `index * 256` on, each of a subtree of `256^level` leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tile {
    /// Level of tiles: 0 for leaves, up to 7.
    pub level: u8,
    /// Index in the level.
    pub index: u64,
    /// Number of hashes, 1 to 256. A tile with fewer than 256 is partial.
    pub width: u16,
}

impl Tile {
    /// Returns the tile from which the hash of `node` is computed, as wide as in a tree of this size; `None` if the
    /// tree is too small.
    #[must_use]
    pub fn holding(node: Node, size: u64) -> Option<Self> {
        let level = node.level / HEIGHT;
        let inside = node.level % HEIGHT;
        let there = size.checked_shr(u32::from(level * HEIGHT))?;
        if node.index >= there >> inside {
            return None;
        }
        let index = node.index >> (HEIGHT - inside);
        Some(Self { level, index, width: width_of(there, index)? })
    }

    /// Returns the tiles of a tree of this size, level by level.
    pub fn all(size: u64) -> impl Iterator<Item = Self> {
        Self::grown(0, size)
    }

    /// Returns the tiles that a tree of size `to` has, and a tree of size `from` does not have or only with a smaller
    /// width.
    pub fn grown(from: u64, to: u64) -> impl Iterator<Item = Self> {
        (0..HEIGHT).flat_map(move |level| {
            let (old, new) = (from >> (level * HEIGHT), to >> (level * HEIGHT));
            let tiles = old / u64::from(WIDTH)..new.div_ceil(u64::from(WIDTH));
            let tiles = if old < new { tiles } else { 0..0 };
            tiles.filter_map(move |index| Some(Self { level, index, width: width_of(new, index)? }))
        })
    }

    /// Returns the subtrees whose hashes the tile has, in order.
    pub fn nodes(self) -> impl Iterator<Item = Node> {
        let first = self.index * u64::from(WIDTH);
        let level = self.level * HEIGHT;
        (first..first + u64::from(self.width)).map(move |index| Node { level, index })
    }

    /// Returns the bytes of the tile: its hashes, concatenated.
    pub fn bytes(self, source: &impl Hashes) -> Result<Vec<u8>, Error> {
        let hash = |node| source.hash(node).ok_or(Error::Missing(node));
        Ok(self.nodes().map(hash).collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// Returns the path of the tile: `tile/<level>/<index>`, with `.p/<width>` if it is partial.
    #[must_use]
    pub fn path(self) -> String {
        format!("{FOLDER}{}/{}", self.level, self.place())
    }

    /// Returns the path of the leaves' own bytes, if this is a tile of leaves: `tile/entries/<index>`.
    #[must_use]
    pub fn entries_path(self) -> Option<String> {
        (self.level == 0).then(|| format!("{FOLDER}entries/{}", self.place()))
    }

    /// Parses the path of a tile. Only the exact output of [`Tile::path`] is accepted.
    pub fn parse(path: &str) -> Result<Self, Error> {
        Self::read(path).filter(|tile| tile.path() == path).ok_or(Error::Malformed("the path of a tile"))
    }

    /// Parses the path of the leaves' own bytes; returns their tile.
    pub fn parse_entries(path: &str) -> Result<Self, Error> {
        let place = path.strip_prefix(FOLDER).and_then(|rest| rest.strip_prefix("entries/"));
        let tile = place.and_then(|place| Self::read(&format!("{FOLDER}0/{place}")));
        tile.filter(|tile| tile.entries_path().as_deref() == Some(path))
            .ok_or(Error::Malformed("the path of leaves"))
    }

    fn read(path: &str) -> Option<Self> {
        let (level, place) = path.strip_prefix(FOLDER)?.split_once('/')?;
        let level = level.parse().ok().filter(|level| *level < HEIGHT)?;
        let (place, width) = place.split_once(".p/").map_or((place, None), |(at, width)| (at, Some(width)));
        let mut index: u64 = 0;
        for part in place.split('/') {
            let digits: u64 =
                part.strip_prefix('x').unwrap_or(part).parse().ok().filter(|part| *part < 1000)?;
            index = index.checked_mul(1000)?.checked_add(digits)?;
        }
        let width = width.map_or(Some(WIDTH), |width| width.parse().ok().filter(|width| *width < WIDTH))?;
        // A tile beyond this index would have leaves that cannot be counted.
        let is_possible = width > 0 && index < 1_u64 << (56 - level * HEIGHT);
        is_possible.then_some(Self { level, index, width })
    }

    fn place(self) -> String {
        let mut place = format!("{:03}", self.index % 1000);
        let mut rest = self.index / 1000;
        while rest > 0 {
            place = format!("x{:03}/{place}", rest % 1000);
            rest /= 1000;
        }
        if self.width < WIDTH { format!("{place}.p/{}", self.width) } else { place }
    }
}

/// Returns the width of the tile at `index` in a level with this number of hashes.
fn width_of(hashes: u64, index: u64) -> Option<u16> {
    let rest = hashes.checked_sub(index.checked_mul(u64::from(WIDTH))?)?;
    u16::try_from(rest.min(u64::from(WIDTH))).ok().filter(|width| *width > 0)
}

/// Appends a leaf to a file of leaves: its length in two bytes, then its bytes.
pub fn append_entry(file: &mut Vec<u8>, leaf: &[u8]) -> Result<(), Error> {
    let length = u16::try_from(leaf.len()).map_err(|_| Error::Malformed("a leaf of less than 64 KiB"))?;
    file.extend_from_slice(&length.to_be_bytes());
    file.extend_from_slice(leaf);
    Ok(())
}

/// Source of hashes: tiles that were read.
#[derive(Clone, Debug, Default)]
pub struct Tiles {
    read: BTreeMap<(u8, u64), Vec<Hash>>,
}

impl Tiles {
    /// Adds a tile. Fails if the bytes do not have its width.
    pub fn add(&mut self, tile: Tile, bytes: &[u8]) -> Result<(), Error> {
        let (hashes, rest) = bytes.as_chunks();
        if !rest.is_empty() || hashes.len() != usize::from(tile.width) {
            return Err(Error::Malformed("a tile of this width"));
        }
        self.read.insert((tile.level, tile.index), hashes.to_vec());
        Ok(())
    }
}

impl Hashes for Tiles {
    fn hash(&self, node: Node) -> Option<Hash> {
        let inside = node.level % HEIGHT;
        let tile = self.read.get(&(node.level / HEIGHT, node.index >> (HEIGHT - inside)))?;
        let first = usize::try_from(node.index << inside & 0xff).ok()?;
        let mut hashes = tile.get(first..first + (1 << inside))?.to_vec();
        while hashes.len() > 1 {
            hashes = hashes.as_chunks().0.iter().map(|[left, right]| node_hash(left, right)).collect();
        }
        hashes.first().copied()
    }
}
