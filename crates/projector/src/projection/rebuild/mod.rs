//! Blue-green rebuild: a new version of a read model is built beside the active one, compared with it, and switched to.
//!
//! Its stages are `planned → bulk → tail → verify → active → retired`. Each step is one database transaction, which
//! moves the version's own position together with its rows. A rebuild that was killed therefore continues at its last
//! step, and two processes that rebuild the same version take turns. The active version is not changed before the
//! switch, and is fed after it, so that a rollback loses nothing.

mod drop;
mod error;
mod estimate;
mod fill;
mod indexes;
mod plan;
mod range;
mod scratch;
mod sweep;

use std::sync::Arc;

use daybook_log::{Log, PAGE, Position, Shard};
use daybook_pg::{Pg, Transaction};
pub use error::{NotChosen, NotDropped, RebuildError};
pub use estimate::Estimate;
pub(crate) use fill::{fill, unfilled};
use range::{Range, RangeRead};

use super::{Versions, install};
use crate::error::Error;
use crate::projection::page::PageCarry;
use crate::projection::targets;
use crate::store::Model;
use crate::store::version::{self, Stage, Version};
use crate::store::{Store, cursor};

/// Approximate memory of an event in a large page with the rows that it produces, in bytes.
const BYTES_PER_EVENT: u64 = 2048;
/// Minimum size of a page in events, however little memory is available.
const MIN_PAGE_EVENTS: u64 = 64;
/// Size of the first page in events. It is small, because no other work overlaps with reading it: while a page is
/// written, the next one, of twice its size, is read.
const FIRST_PAGE_EVENTS: u64 = 16_384;
/// Settings of the database transactions. A commit does not wait for the disk, because a lost page is folded again.
/// There is no timeout, because the time to create an index is not bounded.
const SETTINGS: &str = "set local synchronous_commit = off; set local statement_timeout = 0;
    set local idle_in_transaction_session_timeout = 0";

/// A rebuild of a version of a read model.
pub struct Rebuild {
    store: Store,
    shard: Shard,
    version: Version,
    kept: PageCarry,
    events_per_page: u64,
    /// Maximum number of events in the page that is read next.
    pace: u64,
    /// Position at which the rebuild ends; none if it follows the log.
    until: Option<Position>,
    next: Option<RangeRead>,
}

/// Progress of a rebuild.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RebuildProgress {
    /// The version after the step.
    pub version: Version,
    /// Position of the cursor of the active versions, which the rebuild has to reach.
    pub goal: u64,
}

impl Rebuild {
    /// Continues the unfinished version of `model`, or plans a new one. `memory` is the approximate size of a page of
    /// the log in memory, in bytes.
    ///
    /// # Errors
    ///
    /// [`RebuildError::Failed`].
    pub async fn begin(
        versions: &Versions,
        shard: Shard,
        model: Model,
        memory: u64,
    ) -> Result<Self, RebuildError> {
        versions.install(shard).await?;
        let store = &versions.store;
        let version = store
            .feeding()
            .of(shard)
            .tx("projector.plan", async |tx| plan::plan(tx, shard, model).await)
            .await?;
        Ok(Self::of(store.clone(), shard, version, memory))
    }

    /// Plans a scratch version of `model`, which is compared and dropped, and never becomes active. A scratch version
    /// that an earlier reconciliation left is dropped. With `until` the version ends at that position and does not
    /// follow the log further.
    ///
    /// # Errors
    ///
    /// [`RebuildError::Failed`].
    pub async fn scratch(
        versions: &Versions,
        shard: Shard,
        model: Model,
        memory: u64,
        until: Option<Position>,
    ) -> Result<Self, RebuildError> {
        versions.install(shard).await?;
        let pg = versions.store.building();
        let version =
            pg.of(shard).tx("projector.scratch", async |tx| scratch::plan(tx, shard, model).await).await?;
        Ok(Self { until, ..Self::of(versions.store.clone(), shard, version, memory) })
    }

    fn of(store: Store, shard: Shard, version: Version, memory: u64) -> Self {
        let events_per_page = (memory / BYTES_PER_EVENT).max(MIN_PAGE_EVENTS);
        let pace = events_per_page.min(FIRST_PAGE_EVENTS);
        Self {
            store,
            shard,
            version,
            kept: PageCarry::default(),
            events_per_page,
            pace,
            until: None,
            next: None,
        }
    }

    /// Returns the version as it was at the last step.
    #[must_use]
    pub const fn version(&self) -> Version {
        self.version
    }

    /// Returns true if no step is left.
    #[must_use]
    pub fn is_built(&self) -> bool {
        match self.until {
            Some(until) if self.version.stage == Stage::Tail => self.version.position >= until,
            Some(_) | None => !self.version.stage.is_building(),
        }
    }

    /// Performs the next step. After the last one the version is in [`Stage::Verify`], and the runner feeds it.
    ///
    /// # Errors
    ///
    /// [`NotChosen::Gone`] if the version was dropped in the meantime. [`Error`]; then nothing was changed, and the
    /// step can be repeated.
    pub async fn step(&mut self) -> Result<RebuildProgress, RebuildError> {
        let built = self.advance().await?;
        if self.version.stage == Stage::Dropped {
            return Err(NotChosen::Gone(self.version).into());
        }
        Ok(built)
    }

    async fn advance(&mut self) -> Result<RebuildProgress, Error> {
        let goal = self.store.position(self.shard).await?;
        let goal = self.until.map_or(goal, |until| until.min(goal));
        match self.version.stage {
            Stage::Planned => self.make_tables().await?,
            Stage::Bulk if self.is_near(goal) => self.make_indexes().await?,
            Stage::Bulk => self.project(goal, self.pace).await?,
            Stage::Tail if self.is_built() => {}
            Stage::Tail if self.is_near(goal) => self.join().await?,
            Stage::Tail => self.project(goal, u64::from(PAGE)).await?,
            Stage::Verify | Stage::Active | Stage::Retired | Stage::Dropped => {}
        }
        Ok(RebuildProgress { version: self.version, goal })
    }

    /// Returns true if so few events are left that a larger page gains nothing: the log may grow for ever. A rebuild
    /// with a fixed end has to reach it exactly.
    fn is_near(&self, goal: u64) -> bool {
        let little = if self.until.is_some() { 0 } else { (self.events_per_page / 2).min(u64::from(PAGE)) };
        goal.saturating_sub(self.version.position) <= little
    }

    async fn make_tables(&mut self) -> Result<(), Error> {
        let pg = self.store.building();
        self.change_as(&pg, Stage::Planned, async |tx, _, version| {
            // Another shard may create or drop the same tables.
            version::lock_numbers(tx).await?;
            install::create(tx, version, &statements(version, "create table")?.concat()).await?;
            version.stage = Stage::Bulk;
            Ok(())
        })
        .await
    }

    /// Folds the next page up to `goal`.
    async fn project(&mut self, goal: u64, limit: u64) -> Result<(), Error> {
        let is_bulk = self.version.stage == Stage::Bulk;
        let (model, after) = (self.version.model, self.version.position);
        let log = Arc::clone(&self.store.log);
        let shard = self.shard;
        let read = |after, limit| RangeRead::begin(Arc::clone(&log), shard, model, after, goal, limit);
        let range = match self.next.take().filter(|next| next.after == after) {
            Some(next) => next.range().await?,
            None => read(after, limit).range().await?,
        };
        // The next page is read and decoded while this one is written.
        self.pace = self.pace.saturating_mul(2).min(self.events_per_page);
        let limit = self.pace;
        self.next = (is_bulk && range.end < goal).then(|| read(range.end, limit));
        self.write(&range, is_bulk).await
    }

    async fn write(&mut self, range: &Range, is_bulk: bool) -> Result<(), Error> {
        let Self { store, shard, version, kept, .. } = self;
        let (shard, before) = (*shard, *version);
        let mut own = std::mem::take(kept);
        let work = async |tx: &Transaction<'_>| {
            tx.batch_execute(SETTINGS).await?;
            let now = version::take(tx, shard, &before).await?;
            if now != Some(before) {
                return Ok::<_, Error>(Err(now));
            }
            let log: &dyn Log = &*store.log;
            let page = targets::project(&before, log, tx, shard, range.events(), &mut own, is_bulk).await?;
            let after = Version { position: range.end, ..before };
            version::advance(tx, shard, &after).await?;
            Ok(Ok((page, after)))
        };
        match store.feeding().of(self.shard).tx("projector.rebuild", work).await? {
            Ok((page, after)) => {
                page.keep(&mut own);
                (*version, *kept) = (after, own);
            }
            Err(elsewhere) => *version = elsewhere.ok_or(Error::Misread { table: "projection" })?,
        }
        Ok(())
    }

    /// Folds the remaining events up to the cursor under the lock of the cursor. From then on the runner feeds the
    /// version.
    async fn join(&mut self) -> Result<(), Error> {
        let (store, shard, mut own) = (self.store.clone(), self.shard, std::mem::take(&mut self.kept));
        self.change(Stage::Tail, async |tx, position, version| {
            let log = Arc::clone(&store.log);
            let range =
                RangeRead::begin(log, shard, version.model, version.position, position, u64::from(PAGE));
            let range = range.range().await?;
            targets::project(version, &*store.log, tx, shard, range.events(), &mut own, false).await?;
            // If more than a page is left, nothing is lost: the next step continues.
            if range.end == position {
                let versions = version::all_in(tx, shard).await?;
                let is_new = unfilled(&versions).contains(version);
                version.stage = if is_new { Stage::Active } else { Stage::Verify };
            }
            version.position = range.end;
            Ok(())
        })
        .await
    }

    /// Runs `work` on the version in one database transaction, unless another process has moved the version out of
    /// `stage`. `work` gets the position of the cursor, which is locked and does not move.
    async fn change(
        &mut self,
        stage: Stage,
        work: impl AsyncFnOnce(&Transaction<'_>, Position, &mut Version) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let pg = self.store.feeding();
        self.change_as(&pg, stage, work).await
    }

    /// Does the same with the rights of `pg`.
    async fn change_as(
        &mut self,
        pg: &Pg,
        stage: Stage,
        work: impl AsyncFnOnce(&Transaction<'_>, Position, &mut Version) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (shard, before) = (self.shard, self.version);
        let work = async |tx: &Transaction<'_>| {
            tx.batch_execute(SETTINGS).await?;
            // Other processes act on a stage, so the change of a stage must not be lost.
            tx.batch_execute("set local synchronous_commit = on").await?;
            // Wherever both locks are taken, the cursor's is taken first.
            let position = cursor::lock(tx, shard).await?.unwrap_or_default();
            let now = version::take(tx, shard, &before).await?;
            let mut now = now.ok_or(Error::Misread { table: "projection" })?;
            if now.stage == stage && now.position == before.position {
                work(tx, position, &mut now).await?;
                version::save(tx, shard, &now).await?;
            }
            Ok::<_, Error>(now)
        };
        self.version = pg.of(self.shard).tx("projector.rebuild", work).await?;
        Ok(())
    }
}

/// Returns the statements for a version's tables that begin with `what`.
fn statements(version: &Version, what: &str) -> Result<Vec<String>, Error> {
    let tables = version::Tables::of([version])?;
    let schema = (version.model.definition().schema)(version.fold);
    let lines = schema.lines().filter(|line| !line.trim_start().starts_with("--"));
    let schema: String = lines.flat_map(|line| [line, "\n"]).collect();
    let statements = schema.split_inclusive(";\n").map(str::trim);
    Ok(statements.filter(|text| text.starts_with(what)).map(|text| tables.sql(text).into_owned()).collect())
}
