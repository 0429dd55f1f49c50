//! Tiles: the tree's hashes as proofs need them. They follow from the events, so whoever comes first fills them in, behind
//! the writer; what is not in a tile yet is computed from the events themselves.

use std::collections::{BTreeMap, BTreeSet};

use daybook_proof::{Frontier, Growth, Hash, Hashes, Node, Tile, Tiles};

use super::PostgresLog;
use super::rows::bigint;
use crate::{Error, Position, Shard};

/// Leaves of a tile of the lowest level, and hashes of any that is full.
const WIDTH: u64 = 256;
/// Leaves that are put into tiles at a time.
const AT_A_TIME: u64 = 16 * WIDTH;

/// Hashes of a tree as far as they were asked for.
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
    /// The hashes of `nodes` in a tree of `size` leaves: subtrees that are complete in it.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if an event or a tile is missing.
    pub async fn proving(&self, shard: Shard, size: Position, nodes: &[Node]) -> Result<Proving, Error> {
        let tiled = self.fill_tiles(shard, size).await?.min(size / WIDTH * WIDTH);
        let edge = Frontier::needs(tiled);
        let inside = nodes.iter().filter(|node| end(**node) <= tiled).chain(&edge);
        let wanted: BTreeSet<Tile> = inside.filter_map(|node| Tile::holding(*node, tiled)).collect();
        let tiles = self.tiles(shard, wanted).await?;
        let frontier = Frontier::read(&tiles, tiled).map_err(|error| missing(tiled, &error))?;
        let leaves = if nodes.iter().any(|node| end(*node) > tiled) {
            self.leaves(shard, tiled, size).await?
        } else {
            vec![]
        };
        Ok(Proving { tiles, growth: Growth::new(&frontier, leaves) })
    }

    /// The bytes of a tile; none if there are not as many leaves, or it is one of the leaves' bytes.
    ///
    /// # Errors
    ///
    /// As [`PostgresLog::proving`].
    pub async fn tile(&self, shard: Shard, size: Position, tile: Tile) -> Result<Option<Vec<u8>>, Error> {
        // Whoever asks names any tile there could be.
        let there = size.checked_shr(8 * u32::from(tile.level)).unwrap_or(0);
        let last = tile.index.checked_mul(WIDTH).and_then(|first| first.checked_add(tile.width.into()));
        if last.is_none_or(|last| last > there) {
            return Ok(None);
        }
        let nodes: Vec<Node> = tile.nodes().collect();
        let source = self.proving(shard, size, &nodes).await?;
        tile.bytes(&source).map(Some).map_err(|error| missing(size, &error))
    }

    /// Puts leaves up to about `size` into tiles; answers how many are in tiles now.
    ///
    /// # Errors
    ///
    /// As [`PostgresLog::proving`].
    pub async fn fill_tiles(&self, shard: Shard, size: Position) -> Result<Position, Error> {
        let mut tiled = self.tiled(shard).await?;
        while let Some(more) = self.fill_more(shard, tiled, size).await? {
            tiled = more;
        }
        Ok(tiled)
    }

    /// How many leaves are in tiles.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] if the database cannot be asked.
    pub async fn tiled(&self, shard: Shard) -> Result<Position, Error> {
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/read_tiled.sql")).await?;
        super::rows::number(&client.query_one(&statement, &[&shard]).await?, "leaves")
    }

    /// Puts some 4,096 leaves behind the first `tiled`, up to about `size`, into tiles; answers how many are in tiles then,
    /// or nothing if there are too few to begin a tile with.
    ///
    /// # Errors
    ///
    /// As [`PostgresLog::proving`].
    pub async fn fill_more(
        &self,
        shard: Shard,
        tiled: Position,
        size: Position,
    ) -> Result<Option<Position>, Error> {
        let more = (size.saturating_sub(tiled) / WIDTH * WIDTH).min(AT_A_TIME);
        if more == 0 {
            return Ok(None);
        }
        let edge = Frontier::needs(tiled);
        let wanted = edge.iter().filter_map(|node| Tile::holding(*node, tiled)).collect();
        let frontier = Frontier::read(&self.tiles(shard, wanted).await?, tiled);
        let frontier = frontier.map_err(|error| missing(tiled, &error))?;
        let growth = Growth::new(&frontier, self.leaves(shard, tiled, tiled + more).await?);
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/fill_tiles.sql")).await?;
        let new = Columns::of(&growth);
        client.execute(&statement, &[&shard, &new.levels, &new.numbers, &new.begins, &new.hashes]).await?;
        Ok(Some(tiled + more))
    }

    /// These tiles, each as wide as it says at least.
    async fn tiles(&self, shard: Shard, wanted: BTreeSet<Tile>) -> Result<Tiles, Error> {
        let (mut tiles, mut rows) = (Tiles::default(), BTreeMap::new());
        if wanted.is_empty() {
            return Ok(tiles);
        }
        let levels: Vec<i16> = wanted.iter().map(|tile| i16::from(tile.level)).collect();
        let numbers: Vec<i64> = wanted.iter().map(|tile| bigint(tile.index)).collect();
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/read_tiles.sql")).await?;
        for row in client.query(&statement, &[&shard, &levels, &numbers]).await? {
            let place: (i16, i64) = (row.try_get("level")?, row.try_get("n")?);
            rows.insert(place, row.try_get::<_, Vec<u8>>("hashes")?);
        }
        for tile in wanted {
            let bytes = rows.get(&(i16::from(tile.level), bigint(tile.index)));
            let bytes = bytes.and_then(|bytes| bytes.get(..usize::from(tile.width) * size_of::<Hash>()));
            let bytes = bytes.ok_or_else(|| missing(0, &tile.path()))?;
            tiles.add(tile, bytes).map_err(|error| missing(0, &error))?;
        }
        Ok(tiles)
    }

    /// The same as [`Self::leaves`], from tiles as far as there are any.
    pub(super) async fn leaf_hashes(
        &self,
        shard: Shard,
        after: Position,
        up_to: Position,
    ) -> Result<Vec<Hash>, Error> {
        let tiled = self.fill_tiles(shard, up_to).await?.min(up_to / WIDTH * WIDTH);
        let full = |index| Tile { level: 0, index, width: 256 };
        let tiles = self.tiles(shard, (after / WIDTH..tiled / WIDTH).map(full).collect()).await?;
        let (tiled, hash) = (tiled.max(after), |index| tiles.hash(Node { level: 0, index }));
        let hashes: Option<Vec<_>> = (after..tiled).map(hash).collect();
        let mut hashes = hashes.ok_or_else(|| missing(tiled, &"a leaf is missing"))?;
        hashes.extend(self.leaves(shard, tiled, up_to).await?);
        Ok(hashes)
    }

    /// The leaf hashes of the events at positions `after + 1 ..= up_to`.
    async fn leaves(&self, shard: Shard, after: Position, up_to: Position) -> Result<Vec<Hash>, Error> {
        self.known.check()?;
        if let Some(leaves) = self.recent.leaves(shard, after, up_to) {
            return Ok(leaves);
        }
        let mut leaves = super::prove::Leaves::new(self, shard);
        let mut hashes = vec![];
        for position in after..up_to {
            hashes.push(leaves.next(position).await?);
        }
        Ok(hashes)
    }
}

/// The number of the last leaf of a subtree.
const fn end(node: Node) -> u64 {
    (node.index + 1) << node.level
}

fn missing(position: Position, what: &dyn std::fmt::Display) -> Error {
    Error::Corrupt { position, what: format!("the tiles of the tree: {what}") }
}

/// What is added to tiles, column by column.
#[derive(Default)]
struct Columns {
    levels: Vec<i16>,
    numbers: Vec<i64>,
    /// How many bytes the tile has before.
    begins: Vec<i32>,
    hashes: Vec<Vec<u8>>,
}

impl Columns {
    fn of(growth: &Growth) -> Self {
        let mut new: BTreeMap<(u8, u64), (u64, Vec<u8>)> = BTreeMap::new();
        for (node, hash) in growth.complete().filter(|(node, _)| node.level % 8 == 0) {
            let begin = (node.index % WIDTH, vec![]);
            let (_, hashes) = new.entry((node.level / 8, node.index / WIDTH)).or_insert(begin);
            hashes.extend_from_slice(&hash);
        }
        let mut columns = Self::default();
        for ((level, number), (begin, hashes)) in new {
            columns.levels.push(i16::from(level));
            columns.numbers.push(bigint(number));
            columns.begins.push(i32::try_from(begin * 32).unwrap_or_default());
            columns.hashes.push(hashes);
        }
        columns
    }
}
