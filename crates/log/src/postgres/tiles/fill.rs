//! Filling tiles: leaves that are not in tiles yet are appended to them, piece by piece. A piece is written completely
//! or not at all, so any number of processes may fill at once: a piece that was prepared while another process was
//! faster is not written.

use std::collections::BTreeMap;

use daybook_pg::Transaction;
use daybook_proof::{Frontier, Growth, Tile};

use super::super::PostgresLog;
use super::super::rows::{bigint, number};
use super::{WIDTH, mend, missing};
use crate::{Error, Log as _, Position, Shard};

/// Number of leaves that one piece puts into tiles.
const LEAVES_PER_TRANSACTION: u64 = 16 * WIDTH;

impl PostgresLog {
    /// Returns the number of leaves in tiles. Fills the tiles first if fewer than `wanted` leaves are known to be in
    /// them. Concurrent callers share one fill.
    pub(super) async fn tiled_to(&self, shard: Shard, wanted: Position) -> Result<Position, Error> {
        if self.kept.tiled(shard) < wanted {
            let _turn = self.kept.turn.lock().await;
            if self.kept.tiled(shard) < wanted {
                return self.fill_tiles(shard).await;
            }
        }
        Ok(self.kept.tiled(shard))
    }

    /// Puts all leaves of the log that make full tiles into tiles; returns the number of leaves in tiles.
    ///
    /// # Errors
    ///
    /// Same as [`PostgresLog::proving`].
    pub async fn fill_tiles(&self, shard: Shard) -> Result<Position, Error> {
        let head = self.head(shard).await?.position;
        let mut tiled = self.tiled(shard).await?;
        while let Some(more) = self.fill_more(shard, tiled, head).await? {
            tiled = more;
        }
        self.kept.reached(shard, tiled);
        Ok(tiled)
    }

    /// Returns the number of leaves in tiles.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] if the database cannot be reached.
    pub async fn tiled(&self, shard: Shard) -> Result<Position, Error> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("../sql/read_tiled.sql")).await?;
        number(&client.query_one(&statement, &[&shard]).await?, "leaves")
    }

    /// Puts about 4,096 leaves after the first `tiled`, up to about `head`, into tiles. Returns the number of leaves in
    /// tiles, or `None` if there are too few leaves for a tile.
    ///
    /// # Errors
    ///
    /// Same as [`PostgresLog::proving`]; also if upper tiles do not have the length that the tiles of leaves require:
    /// see [`PostgresLog::mend_tiles`].
    pub async fn fill_more(
        &self,
        shard: Shard,
        tiled: Position,
        head: Position,
    ) -> Result<Option<Position>, Error> {
        let more = (head.saturating_sub(tiled) / WIDTH * WIDTH).min(LEAVES_PER_TRANSACTION);
        if more == 0 {
            return Ok(None);
        }
        let edge = Frontier::needs(tiled);
        let wanted = edge.iter().filter_map(|node| Tile::holding(*node, tiled)).collect();
        let frontier = Frontier::read(&self.tiles(shard, wanted).await?, tiled);
        let frontier = frontier.map_err(|error| missing(tiled, &error))?;
        let growth = Growth::new(&frontier, self.leaves(shard, tiled, tiled + more).await?);
        let new = Columns::of(&growth);
        let written = self.pg.of(shard).tx("tiles.fill", async |tx| new.write(tx, shard).await).await?;
        let reached = if written { tiled + more } else { self.tiled(shard).await? };
        if reached <= tiled {
            return Err(missing(tiled, &"upper tiles do not match the tiles below them"));
        }
        self.kept.reached(shard, reached);
        Ok(Some(reached))
    }
}

/// Additions to tiles, column by column.
#[derive(Default)]
struct Columns {
    levels: Vec<i16>,
    numbers: Vec<i64>,
    /// Bytes that the tile has before the addition.
    begins: Vec<i32>,
    hashes: Vec<Vec<u8>>,
}

impl Columns {
    /// Returns the hashes that a tree has after its growth and had not before.
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

    /// Writes all additions, or none if one of the tiles does not end as expected. Returns true if they were written.
    async fn write(&self, tx: &Transaction<'_>, shard: Shard) -> Result<bool, Error> {
        let Self { levels, numbers, begins, hashes } = self;
        mend::lock(tx, shard).await?;
        // Sent after the lock was granted, so that the statement sees what the lock protects.
        let statement = tx.prepare_cached(include_str!("../sql/fill_tiles.sql")).await?;
        Ok(tx.execute(&statement, &[&shard, levels, numbers, begins, hashes]).await? > 0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Rows of `tile`, as the database stores them.
    type Rows = BTreeMap<(i16, i64), Vec<u8>>;

    /// Number of leaves of the log.
    const LEAVES: u64 = 12 * WIDTH;

    fn leaves(range: std::ops::Range<u64>) -> impl Iterator<Item = daybook_proof::Hash> {
        range.map(|number| daybook_proof::tree::leaf_hash(&number.to_be_bytes()))
    }

    /// Returns the plan of a fill that finds the first `tiled` leaves in tiles and ends at `end`.
    fn plan(tiled: u64, end: u64) -> Columns {
        let before = Growth::new(&Frontier::default(), leaves(0..tiled));
        Columns::of(&Growth::new(before.frontier(), leaves(tiled..end.max(tiled))))
    }

    fn tiled(rows: &Rows) -> u64 {
        rows.keys()
            .filter(|(level, _)| *level == 0)
            .map(|(_, n)| (n.unsigned_abs() + 1) * WIDTH)
            .max()
            .unwrap_or(0)
    }

    /// Applies a plan as `fill_tiles.sql` does. With `each_by_itself` it applies the plan as a statement would that
    /// checks every row separately.
    fn write(rows: &mut Rows, plan: &Columns, each_by_itself: bool) {
        let places = plan.levels.iter().copied().zip(plan.numbers.iter().copied());
        let new: Vec<_> = places.zip(plan.begins.iter().zip(&plan.hashes)).collect();
        let fits = |rows: &Rows, place: &(i16, i64), begins: i32| {
            rows.get(place).map_or(0, Vec::len) == usize::try_from(begins).unwrap_or(usize::MAX)
        };
        if each_by_itself || new.iter().all(|(place, (begins, _))| fits(rows, place, **begins)) {
            for (place, (begins, hashes)) in new {
                if fits(rows, &place, *begins) {
                    rows.entry(place).or_default().extend_from_slice(hashes);
                }
            }
        }
    }

    fn one_fill(end: u64) -> Rows {
        let mut rows = Rows::new();
        write(&mut rows, &plan(0, end), false);
        rows
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Each step belongs to one of four processes. The process prepares a fill, or writes the fill that it has
        /// prepared.
        #[test]
        fn any_interleaving_of_fills_equals_one(steps in prop::collection::vec((0_usize..4, 1_u64..=12), 1..24)) {
            let (mut rows, mut prepared) = (Rows::new(), [const { None }; 4]);
            for (process, tiles) in steps {
                let now = tiled(&rows);
                match prepared[process].take() {
                    Some(plan) => write(&mut rows, &plan, false),
                    None => prepared[process] = Some(plan(now, (now + tiles * WIDTH).min(LEAVES))),
                }
                prop_assert!(rows == one_fill(tiled(&rows)), "after a step of {process}");
            }
        }
    }

    #[test]
    fn rows_written_separately_do_not_fit() {
        let mut rows = Rows::new();
        for plan in [plan(0, WIDTH), plan(0, 2 * WIDTH)] {
            write(&mut rows, &plan, true);
        }
        assert_ne!(rows, one_fill(2 * WIDTH), "the model does not detect the error that it is made for");
    }
}
