//! Comparing: two versions of a read model, slice by slice of their keys, and row by row where a slice differs.
//!
//! Both are fed in one database transaction, so one statement sees both at the same position; a slice is one such
//! statement over some ten thousand rows, and no snapshot lives longer. What is compared is what both have: columns of
//! one name and type. What a newer fold changed on purpose is named in `Definition::reshaped`.

mod books;
mod choose;
mod past;
mod slice;
mod table;

pub use choose::Allowed;
use daybook_log::{Position, Shard};
use daybook_pg::Transaction;
pub use slice::Difference;
use table::Table;

use crate::projection::Versions;
use crate::projection::rebuild::{NotChosen, RebuildError};
use crate::queries::aggregates::Aggregates;
use crate::queries::balances::Balances;
use crate::store::Model;
use crate::store::version::{self, Stage, Version};
use crate::store::{Store, cursor};

/// Of which moment a version is that stands beside what is read.
#[derive(Clone, Copy)]
enum Moment {
    Now,
    Past(Position),
}

/// What a comparison found.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The version that is read.
    pub old: Version,
    /// The one beside it.
    pub new: Version,
    /// Its tables.
    pub tables: Vec<Compared>,
    /// The position of the first slice, and of the last.
    pub positions: (u64, u64),
}

/// What was found about a table.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// The table without its version.
    pub table: &'static str,
    /// The columns that were compared.
    pub columns: Vec<String>,
    /// Columns that only one of the two has, or that changed and are not named.
    pub skipped: Vec<String>,
    /// How many rows there are in the old one and in the new one.
    pub rows: (u64, u64),
    /// How many slices were compared, and how many of them differed.
    pub slices: (u64, u64),
    /// How many rows differ, are missing or surplus.
    pub differing: u64,
    /// The first of them.
    pub differences: Vec<Difference>,
}

impl Comparison {
    /// How many rows differ, are missing or surplus.
    #[must_use]
    pub fn differing(&self) -> u64 {
        self.tables.iter().map(|table| table.differing).sum()
    }

    /// The columns that were not compared, as `table.column`.
    #[must_use]
    pub fn not_compared(&self) -> Vec<String> {
        let of = |table: &Compared| {
            let name = table.table;
            table.skipped.iter().map(move |column| format!("{name}.{column}")).collect::<Vec<_>>()
        };
        self.tables.iter().flat_map(of).collect()
    }
}

/// Versions of read models, compared and chosen. Cheap to clone.
#[derive(Clone)]
pub struct Comparisons {
    store: Store,
    versions: Versions,
    aggregates: Aggregates,
    balances: Balances,
}

impl Comparisons {
    pub(crate) fn new(store: Store, versions: Versions, aggregates: Aggregates, balances: Balances) -> Self {
        Self { store, versions, aggregates, balances }
    }

    /// Compares the version beside the one that is read with it, and notes what was found; shows at most `limit`
    /// differences of each table. `progress` is told of every slice: how many rows were compared so far.
    ///
    /// # Errors
    ///
    /// [`RebuildError::NotChosen`] if there is none beside it. [`RebuildError::Failed`].
    pub async fn compare(
        &self,
        shard: Shard,
        model: Model,
        limit: u64,
        progress: impl FnMut(u64),
    ) -> Result<Comparison, RebuildError> {
        let pair = self.pair(shard, model).await?;
        let comparison = self.compare_pair(shard, pair, Moment::Now, limit, progress).await?;
        self.note(shard, &comparison).await?;
        Ok(comparison)
    }

    /// Compares `scratch`, which is fed together with what is read, with that; nothing is noted.
    ///
    /// # Errors
    ///
    /// As [`Comparisons::compare`].
    pub async fn compare_scratch(
        &self,
        shard: Shard,
        scratch: &Version,
        limit: u64,
        progress: impl FnMut(u64),
    ) -> Result<Comparison, RebuildError> {
        let pair = (self.versions.active(shard, scratch.model).await?, *scratch);
        self.compare_pair(shard, pair, Moment::Now, limit, progress).await
    }

    /// Compares `scratch`, which was folded up to `at` and no further, with what is read of that position.
    ///
    /// # Errors
    ///
    /// As [`Comparisons::compare`]; also if the table of this read model tells of now alone.
    pub async fn compare_past(
        &self,
        shard: Shard,
        scratch: &Version,
        at: Position,
        limit: u64,
        progress: impl FnMut(u64),
    ) -> Result<Comparison, RebuildError> {
        let pair = (self.versions.active(shard, scratch.model).await?, *scratch);
        if scratch.model == Model::BALANCES {
            let tables = vec![self.compare_balances(shard, scratch, at, limit).await?];
            return Ok(Comparison { old: pair.0, new: pair.1, tables, positions: (at, at) });
        }
        let mut comparison = self.compare_pair(shard, pair, Moment::Past(at), limit, progress).await?;
        comparison.positions = (at, at);
        if scratch.model.is_record() {
            let states = self.compare_states(shard, scratch, at, limit).await?;
            comparison.tables.push(states);
        }
        Ok(comparison)
    }

    async fn compare_pair(
        &self,
        shard: Shard,
        (old, new): (Version, Version),
        moment: Moment,
        limit: u64,
        mut progress: impl FnMut(u64),
    ) -> Result<Comparison, RebuildError> {
        let db = self.store.pg.client().await?;
        let mut tables = vec![];
        let mut positions: Option<(u64, u64)> = None;
        for name in new.model.tables() {
            let mut table = Table::describe(&db, name, &old, &new).await?;
            if let Moment::Past(at) = moment {
                past::narrow(&mut table, &new, at)?;
            }
            let mut compared = table.begin();
            let mut after = None;
            loop {
                let slice = slice::compare(&db, shard, &table, after, limit, &mut compared).await?;
                positions = Some((positions.map_or(slice.position, |(first, _)| first), slice.position));
                progress(compared.rows.0.max(compared.rows.1));
                match slice.end {
                    Some(end) => after = Some(end),
                    None => break,
                }
            }
            tables.push(compared);
        }
        Ok(Comparison { old, new, tables, positions: positions.unwrap_or_default() })
    }

    /// The columns that a comparison of the version beside the one that is read with it leaves out, as `table.column`, and
    /// that version.
    pub(super) async fn left_out(
        &self,
        shard: Shard,
        model: Model,
    ) -> Result<(Version, Vec<String>), RebuildError> {
        let (old, new) = self.pair(shard, model).await?;
        let db = self.store.pg.client().await?;
        let mut tables = vec![];
        for name in model.tables() {
            tables.push(Table::describe(&db, name, &old, &new).await?.begin());
        }
        let nothing = Comparison { old, new, tables, positions: (0, 0) };
        Ok((new, nothing.not_compared()))
    }

    /// The version that is read, and the one beside it: a new one, else the one that was read before.
    async fn pair(&self, shard: Shard, model: Model) -> Result<(Version, Version), RebuildError> {
        let mut versions = self.versions.all(shard).await?;
        versions.retain(|version| version.model == model && !version.is_scratch);
        let in_stage = |stage| {
            let found = versions.iter().filter(move |version| version.stage == stage);
            found.max_by_key(|version| version.generation).copied()
        };
        let beside = in_stage(Stage::Verify).or_else(|| in_stage(Stage::Retired));
        Ok(in_stage(Stage::Active).zip(beside).ok_or(NotChosen::None(model))?)
    }

    async fn note(&self, shard: Shard, comparison: &Comparison) -> Result<(), RebuildError> {
        let compared = Some((comparison.positions.1, comparison.differing()));
        let work = async |tx: &Transaction<'_>| {
            cursor::lock(tx, shard).await?;
            if let Some(version) = version::take(tx, shard, &comparison.new).await? {
                version::save(tx, shard, &Version { compared, ..version }).await?;
            }
            Ok(())
        };
        self.store.feeding().tx("projector.compared", work).await
    }
}
