//! Comparison of two versions of a read model: slice by slice of their keys, and row by row if a slice differs.
//!
//! Both versions are fed in one database transaction, so one statement sees both at the same position. A slice is one
//! such statement over about 10,000 rows; no database snapshot lives longer. The columns that both versions have with
//! the same name and type are compared. `Definition::reshaped` names the columns that a newer fold changed on purpose.

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

/// Moment of the version that is compared with the active one.
#[derive(Clone, Copy)]
enum Moment {
    Now,
    Past(Position),
}

/// Result of a comparison.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The active version.
    pub old: Version,
    /// The version that was compared with it.
    pub new: Version,
    /// The results for its tables.
    pub tables: Vec<Compared>,
    /// Positions of the log at the first and the last slice.
    pub positions: (u64, u64),
}

/// Result of the comparison of one table.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// Name of the table without its version.
    pub table: &'static str,
    /// Columns that were compared.
    pub columns: Vec<String>,
    /// Columns that were not compared: only one version has them, or they changed and `Definition::reshaped` does not
    /// name them.
    pub skipped: Vec<String>,
    /// Number of rows in the old version and in the new one.
    pub rows: (u64, u64),
    /// Number of slices that were compared, and number of slices that differed.
    pub slices: (u64, u64),
    /// Number of rows that differ, are missing or are surplus.
    pub differing: u64,
    /// The first differences, up to the limit of the caller.
    pub differences: Vec<Difference>,
}

impl Comparison {
    /// Returns the number of rows that differ, are missing or are surplus, over all tables.
    #[must_use]
    pub fn differing(&self) -> u64 {
        self.tables.iter().map(|table| table.differing).sum()
    }

    /// Returns the columns that were not compared, as `table.column`.
    #[must_use]
    pub fn not_compared(&self) -> Vec<String> {
        let of = |table: &Compared| {
            let name = table.table;
            table.skipped.iter().map(move |column| format!("{name}.{column}")).collect::<Vec<_>>()
        };
        self.tables.iter().flat_map(of).collect()
    }
}

/// Handle for comparing and switching versions of read models. Cheap to clone.
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

    /// Compares the active version of `model` with the one beside it, and stores the result. Returns at most `limit`
    /// differences of each table. Calls `progress` after each slice with the number of rows that were compared so far.
    ///
    /// # Errors
    ///
    /// [`RebuildError::NotChosen`] if there is no version beside the active one. [`RebuildError::Failed`].
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

    /// Compares `scratch`, which is fed together with the active version, with the active version. Stores nothing.
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

    /// Compares `scratch`, which was folded exactly up to `at`, with the active version as of that position.
    ///
    /// # Errors
    ///
    /// As [`Comparisons::compare`]; also if the table of this read model has no past.
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
        let db = self.store.pg.of(shard).client().await?;
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

    /// Returns the version beside the active one, and the columns that a comparison with it leaves out, as
    /// `table.column`.
    pub(super) async fn left_out(
        &self,
        shard: Shard,
        model: Model,
    ) -> Result<(Version, Vec<String>), RebuildError> {
        let (old, new) = self.pair(shard, model).await?;
        let db = self.store.pg.of(shard).client().await?;
        let mut tables = vec![];
        for name in model.tables() {
            tables.push(Table::describe(&db, name, &old, &new).await?.begin());
        }
        let nothing = Comparison { old, new, tables, positions: (0, 0) };
        Ok((new, nothing.not_compared()))
    }

    /// Returns the active version, and the one beside it: a new version, or else the one that was active before.
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
        self.store.feeding().of(shard).tx("projector.compared", work).await
    }
}
