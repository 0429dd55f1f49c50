//! Tiles: hashes of the tree, arranged as proofs need them. They are derived from the events and filled by any process,
//! independently of the writer. Hashes that are not in a tile yet are computed from the events. A fill always continues
//! to the end of the log; callers do not choose its end.

mod cache;
mod fill;
mod mend;
mod shape;

use std::collections::{BTreeMap, BTreeSet};

pub(super) use cache::TileCache;
use daybook_proof::{Frontier, Growth, Hash, Hashes, Node, Tile, Tiles};

use super::PostgresLog;
use super::rows::bigint;
use crate::{Error, Position, Shard};

/// Number of leaves of a tile of the lowest level, and of hashes of every full tile.
const WIDTH: u64 = 256;
/// Bytes of a full tile.
const FULL_TILE_BYTES: usize = 256 * size_of::<Hash>();

/// Hashes of a tree that were requested for a proof.
pub struct Proving {
    tiles: Tiles,
    growth: Growth,
}

impl Hashes for Proving {
    fn hash(&self, node: Node) -> Option<Hash> {
        self.growth.hash(node).or_else(|| self.tiles.hash(node))
    }
}

impl PostgresLog {
    /// Returns the hashes of `nodes` in a tree of `size` leaves. Each node must be a complete subtree of it.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if an event or a tile is missing.
    pub async fn proving(&self, shard: Shard, size: Position, nodes: &[Node]) -> Result<Proving, Error> {
        match self.prove_from_tiles(shard, size, nodes).await {
            // The tiles were deleted or damaged, and can be computed again.
            Err(Error::Corrupt { .. }) if self.kept.forget() => {
                self.mend_tiles(shard).await?;
                self.prove_from_tiles(shard, size, nodes).await
            }
            proving => proving,
        }
    }

    async fn prove_from_tiles(&self, shard: Shard, size: Position, nodes: &[Node]) -> Result<Proving, Error> {
        self.last_seen.check()?;
        let whole = size / WIDTH * WIDTH;
        let tiled = self.tiled_to(shard, whole).await?;
        let begun = tiled.min(whole);
        let edge = Frontier::needs(begun);
        let inside = nodes.iter().filter(|node| end(**node) <= begun).chain(&edge);
        let wanted: BTreeSet<Tile> = inside.filter_map(|node| Tile::holding(*node, begun)).collect();
        let tiles = self.tiles(shard, wanted).await?;
        let frontier = Frontier::read(&tiles, begun).map_err(|error| missing(begun, &error))?;
        let leaves = if nodes.iter().any(|node| end(*node) > begun) {
            self.leaves_in(shard, (begun, size), tiled).await?
        } else {
            vec![]
        };
        Ok(Proving { tiles, growth: Growth::new(&frontier, leaves) })
    }

    /// Returns the bytes of a tile; `None` if the tree has too few leaves for it.
    ///
    /// # Errors
    ///
    /// Same as [`PostgresLog::proving`].
    pub async fn tile(&self, shard: Shard, size: Position, tile: Tile) -> Result<Option<Vec<u8>>, Error> {
        // A caller may name any tile, including one that cannot exist.
        let there = size.checked_shr(8 * u32::from(tile.level)).unwrap_or(0);
        let last = tile.index.checked_mul(WIDTH).and_then(|first| first.checked_add(tile.width.into()));
        if last.is_none_or(|last| last > there) {
            return Ok(None);
        }
        let nodes: Vec<Node> = tile.nodes().collect();
        let source = self.proving(shard, size, &nodes).await?;
        tile.bytes(&source).map(Some).map_err(|error| missing(size, &error))
    }

    /// Returns these tiles, each at least as wide as requested. Full tiles that were read before come from the cache.
    async fn tiles(&self, shard: Shard, wanted: BTreeSet<Tile>) -> Result<Tiles, Error> {
        let (mut tiles, mut rest) = (Tiles::default(), vec![]);
        let wrong = |tile: Tile| missing(0, &tile.path());
        let mut add = |tile: Tile, bytes: &[u8]| {
            let bytes =
                bytes.get(..usize::from(tile.width) * size_of::<Hash>()).ok_or_else(|| wrong(tile))?;
            tiles.add(tile, bytes).map_err(|error| missing(0, &error))
        };
        for tile in wanted {
            match self.kept.full(shard, tile) {
                Some(bytes) => add(tile, &bytes)?,
                None => rest.push(tile),
            }
        }
        if !rest.is_empty() {
            let rows = self.read_tiles(shard, &rest).await?;
            for tile in rest {
                let bytes = rows.get(&(i16::from(tile.level), bigint(tile.index)));
                let bytes = bytes.ok_or_else(|| wrong(tile))?;
                add(tile, bytes)?;
                self.kept.keep(shard, tile, bytes);
            }
        }
        Ok(tiles)
    }

    /// Returns the rows of these tiles that exist, by level and index.
    async fn read_tiles(
        &self,
        shard: Shard,
        wanted: &[Tile],
    ) -> Result<BTreeMap<(i16, i64), Vec<u8>>, Error> {
        let levels: Vec<i16> = wanted.iter().map(|tile| i16::from(tile.level)).collect();
        let numbers: Vec<i64> = wanted.iter().map(|tile| bigint(tile.index)).collect();
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("../sql/read_tiles.sql")).await?;
        let rows = client.query(&statement, &[&shard, &levels, &numbers]).await?;
        rows.iter()
            .map(|row| Ok(((row.try_get("level")?, row.try_get("n")?), row.try_get("hashes")?)))
            .collect()
    }

    /// Same as [`Self::leaves`], but from tiles as far as there are any.
    pub(super) async fn leaf_hashes(
        &self,
        shard: Shard,
        after: Position,
        up_to: Position,
    ) -> Result<Vec<Hash>, Error> {
        let tiled = self.tiled_to(shard, up_to / WIDTH * WIDTH).await?;
        self.leaves_in(shard, (after, up_to), tiled).await
    }

    /// Same as [`Self::leaf_hashes`], for a known number `tiled` of leaves in tiles.
    async fn leaves_in(
        &self,
        shard: Shard,
        (after, up_to): (Position, Position),
        tiled: Position,
    ) -> Result<Vec<Hash>, Error> {
        let end = tiled.min(up_to).max(after);
        let full = |index| Tile { level: 0, index, width: 256 };
        let wanted = if end > after { after / WIDTH..end.div_ceil(WIDTH) } else { 0..0 };
        let tiles = self.tiles(shard, wanted.map(full).collect()).await?;
        let hash = |index| tiles.hash(Node { level: 0, index });
        let hashes: Option<Vec<_>> = (after..end).map(hash).collect();
        let mut hashes = hashes.ok_or_else(|| missing(end, &"a leaf is missing"))?;
        hashes.extend(self.leaves(shard, end, up_to).await?);
        Ok(hashes)
    }

    /// Returns the leaf hashes of the events at positions `after + 1 ..= up_to`.
    async fn leaves(&self, shard: Shard, after: Position, up_to: Position) -> Result<Vec<Hash>, Error> {
        self.last_seen.check()?;
        if let Some(leaves) = self.recent.leaves(shard, after, up_to) {
            return Ok(leaves);
        }
        let mut leaves = super::backfill::Leaves::new(self, shard);
        let mut hashes = vec![];
        for position in after..up_to {
            hashes.push(leaves.next(position).await?);
        }
        Ok(hashes)
    }
}

/// Returns the number of the last leaf of a subtree, counted from 1.
const fn end(node: Node) -> u64 {
    (node.index + 1) << node.level
}

fn missing(position: Position, what: &dyn std::fmt::Display) -> Error {
    Error::Corrupt { position, what: format!("the tiles of the tree: {what}") }
}
