//! Repair of tiles: missing or short tiles are computed again, tiles of leaves from the events, upper tiles from the
//! tiles below.

use std::collections::BTreeMap;

use daybook_pg::Transaction;
use daybook_proof::Tile;

use super::super::PostgresLog;
use super::super::rows::{bigint, number};
use super::{WIDTH, missing, shape};
use crate::{Error, Log as _, Position, Shard};

const LOCK: &str = include_str!("../sql/lock_tiles.sql");
const MEND: &str = include_str!("../sql/mend_tiles.sql");
/// Number of tiles of leaves that are computed at a time.
const TILES_PER_REPAIR: u64 = 16;

/// Waits until no other process fills or repairs the tiles of the shard.
pub(super) async fn lock(tx: &Transaction<'_>, shard: Shard) -> Result<(), Error> {
    tx.execute(&tx.prepare_cached(LOCK).await?, &[&shard]).await?;
    Ok(())
}

impl PostgresLog {
    /// Computes tiles with a wrong length again; returns their number. If all tiles are correct it reads only their
    /// lengths, one tile per 256 events, and no event.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if an event is missing, or tiles cover more events than the log has; [`Error`] if the
    /// database cannot be read or written.
    pub async fn mend_tiles(&self, shard: Shard) -> Result<usize, Error> {
        let (tiled, head) = (self.tiled(shard).await?, self.head(shard).await?.position);
        if tiled > head {
            return Err(missing(head, &"they cover events that the log does not have"));
        }
        let leaves = self.mend_leaves(shard).await?;
        let upper = self.pg.of(shard).tx("tiles.mend", async |tx| mend_upper(tx, shard).await).await?;
        if leaves + upper > 0 {
            tracing::warn!(
                shard,
                leaves,
                upper,
                "tiles of the hash tree were missing or damaged and were computed again"
            );
        }
        Ok(leaves + upper)
    }

    /// Repairs tiles of leaves, from the events.
    async fn mend_leaves(&self, shard: Shard) -> Result<usize, Error> {
        let mut mended = 0;
        loop {
            let client = self.pg.of(shard).client().await?;
            let statement = client.prepare_cached(include_str!("../sql/read_short_tiles.sql")).await?;
            let rows = client.query(&statement, &[&shard]).await?;
            drop(client);
            let Some(row) = rows.first() else { return Ok(mended) };
            let (n, follows) = (number(row, "n")?, number(row, "follows")?);
            let end = if row.try_get("is_full")? { n } else { n + 1 };
            let end = end.min(follows + TILES_PER_REPAIR);
            let leaves = self.leaves(shard, follows * WIDTH, end * WIDTH).await?;
            let numbers: Vec<i64> = (follows..end).map(bigint).collect();
            let hashes: Vec<Vec<u8>> = leaves.as_chunks::<256>().0.iter().map(|tile| tile.concat()).collect();
            let levels = vec![0_i16; numbers.len()];
            let write = async |tx: &Transaction<'_>| {
                lock(tx, shard).await?;
                tx.execute(&tx.prepare_cached(MEND).await?, &[&shard, &levels, &numbers, &hashes]).await?;
                Ok::<_, Error>(())
            };
            self.pg.of(shard).tx("tiles.mend_leaves", write).await?;
            mended += numbers.len();
        }
    }
}

/// Repairs upper tiles that do not have the length that the tiles of leaves require, level by level: each level is
/// computed from the one below.
async fn mend_upper(tx: &Transaction<'_>, shard: Shard) -> Result<usize, Error> {
    lock(tx, shard).await?;
    let statement = tx.prepare_cached(include_str!("../sql/read_tiled.sql")).await?;
    let tiled: Position = number(&tx.query_one(&statement, &[&shard]).await?, "leaves")?;
    let statement = tx.prepare_cached(include_str!("../sql/read_upper_tiles.sql")).await?;
    let mut found = BTreeMap::new();
    for row in tx.query(&statement, &[&shard]).await? {
        let (level, bytes): (i16, i32) = (row.try_get("level")?, row.try_get("bytes")?);
        let place = (u8::try_from(level).unwrap_or_default(), number(&row, "n")?);
        found.insert(place, usize::try_from(bytes).unwrap_or_default());
    }
    let wrong = shape::wrong(tiled, &found);
    for tile in &wrong {
        let bytes = made(tx, shard, *tile).await?;
        let (levels, numbers) = (vec![i16::from(tile.level)], vec![bigint(tile.index)]);
        tx.execute(&tx.prepare_cached(MEND).await?, &[&shard, &levels, &numbers, &vec![bytes]]).await?;
    }
    Ok(wrong.len())
}

/// Computes the bytes of an upper tile from the tiles below it.
async fn made(tx: &Transaction<'_>, shard: Shard, tile: Tile) -> Result<Vec<u8>, Error> {
    let below: Vec<_> = shape::below(tile).collect();
    let levels: Vec<i16> = below.iter().map(|tile| i16::from(tile.level)).collect();
    let numbers: Vec<i64> = below.iter().map(|tile| bigint(tile.index)).collect();
    let statement = tx.prepare_cached(include_str!("../sql/read_tiles.sql")).await?;
    let mut roots = BTreeMap::new();
    for row in tx.query(&statement, &[&shard, &levels, &numbers]).await? {
        let root = shape::root(row.try_get("hashes")?).ok_or_else(|| missing(0, &"a tile is not full"))?;
        roots.insert(row.try_get::<_, i64>("n")?, root);
    }
    if roots.len() == below.len() {
        Ok(roots.into_values().collect::<Vec<_>>().concat())
    } else {
        Err(missing(0, &tile.path()))
    }
}
