//! Drops the tables of a version when no process can read them. Tables that another shard uses stay, without the rows
//! of the shard that dropped the version.

use daybook_log::Shard;
use daybook_pg::Transaction;

use super::{NotDropped, RebuildError};
use crate::projection::Versions;
use crate::store::Model;
use crate::store::version::{self, Stage, Version};
use crate::store::{cursor, sql};

impl Versions {
    /// Drops the version `number` of `model`; without a number all versions that are retired or unfinished. Continues
    /// an earlier drop that was killed while it deleted rows.
    ///
    /// # Errors
    ///
    /// [`RebuildError::NotDropped`]; then nothing was dropped. [`RebuildError::Failed`].
    pub async fn drop(
        &self,
        shard: Shard,
        model: Model,
        number: Option<u16>,
    ) -> Result<Vec<Version>, RebuildError> {
        let work = async |tx: &Transaction<'_>| {
            cursor::lock(tx, shard).await?;
            let mut versions = version::all_in(tx, shard).await?;
            let is_meant = |version: &Version| match number {
                Some(number) => version.number == number,
                None => version.stage != Stage::Active && !version.is_scratch,
            };
            versions.retain(|version| {
                version.model == model && version.stage != Stage::Dropped && is_meant(version)
            });
            if versions.is_empty() {
                return Err(NotDropped::None(model).into());
            }
            drop_each(tx, shard, &mut versions).await?;
            Ok::<_, RebuildError>(versions)
        };
        let dropped = self.store.building().of(shard).tx("projector.drop", work).await;
        // The rows are many, and the projection waits for the transaction above. They are deleted after it.
        match dropped {
            Err(RebuildError::NotDropped(NotDropped::None(model))) => {
                let swept = self.sweep(shard, model, number).await?;
                if swept.is_empty() { Err(NotDropped::None(model).into()) } else { Ok(swept) }
            }
            Ok(dropped) => {
                self.sweep(shard, model, number).await?;
                Ok(dropped)
            }
            Err(error) => Err(error),
        }
    }
}

/// Drops `versions` of `shard`, or none of them. Tables that no other shard uses are dropped with them.
pub(super) async fn drop_each(
    tx: &Transaction<'_>,
    shard: Shard,
    versions: &mut [Version],
) -> Result<(), RebuildError> {
    for version in &*versions {
        check_free(tx, shard, version).await?;
        // Locks the version first, as the process that fills it does. In another order the two could deadlock.
        version::take(tx, shard, version).await?;
    }
    version::lock_numbers(tx).await?;
    for version in versions {
        if !version::is_shared(tx, shard, version).await? {
            for table in version.tables() {
                tx.batch_execute(&format!("drop table if exists {table}")).await?;
            }
        }
        version.stage = Stage::Dropped;
        version::save(tx, shard, version).await?;
    }
    Ok(())
}

/// Fails if queries of a process may read `version`.
async fn check_free(tx: &Transaction<'_>, shard: Shard, version: &Version) -> Result<(), RebuildError> {
    match version.stage {
        Stage::Active => return Err(NotDropped::Active(*version).into()),
        Stage::Retired => {
            let statement = tx.prepare_cached(include_str!("awaited.sql")).await?;
            let row = tx.query_one(&statement, &[&shard, &sql::to_i64(version.generation)]).await?;
            let awaited = sql::to_u64(row.try_get(0)?);
            if awaited > 0 {
                return Err(NotDropped::Awaited(*version, awaited).into());
            }
        }
        Stage::Planned | Stage::Bulk | Stage::Tail | Stage::Verify | Stage::Dropped => {}
    }
    Ok(())
}
