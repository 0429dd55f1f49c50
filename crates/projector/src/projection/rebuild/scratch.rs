//! Scratch versions: a reconciliation makes, compares and drops them. No query reads them. A rebuild that
//! [`super::Rebuild::begin`] started is another version and is not touched.
//!
//! A shard has at most one scratch version of a read model. It keeps its row in the table of versions and its number,
//! which no other shard uses.

use daybook_log::Shard;
use daybook_pg::Transaction;

use super::RebuildError;
use super::{drop, plan::new_number};
use crate::projection::Versions;
use crate::store::Model;
use crate::store::cursor;
use crate::store::version::{self, Stage, Version};

/// Plans a scratch version of `model`, and drops the tables of an earlier one.
pub(super) async fn plan(tx: &Transaction<'_>, shard: Shard, model: Model) -> Result<Version, RebuildError> {
    cursor::lock(tx, shard).await?;
    let versions = version::all_in(tx, shard).await?;
    let before = versions.iter().find(|version| version.model == model && version.is_scratch);
    let number = if let Some(before) = before {
        if before.stage != Stage::Dropped {
            drop::drop_each(tx, shard, &mut [*before]).await?;
        }
        before.number
    } else {
        version::lock_numbers(tx).await?;
        new_number(&version::all_of_model(tx, model).await?, model)
    };
    let first = Version::first(model);
    // It is filled by the same fold as the active version, so that all columns can be compared.
    let active = versions.iter().find(|version| version.model == model && version.stage == Stage::Active);
    let fold = active.map_or(first.fold, |active| active.fold);
    let planned = Version { number, fold, stage: Stage::Planned, is_scratch: true, ..first };
    version::save(tx, shard, &planned).await?;
    Ok(planned)
}

impl Versions {
    /// Drops every scratch version, and returns them.
    ///
    /// # Errors
    ///
    /// [`RebuildError::Failed`].
    pub async fn drop_scratch(&self, shard: Shard) -> Result<Vec<Version>, RebuildError> {
        let work = async |tx: &Transaction<'_>| {
            cursor::lock(tx, shard).await?;
            let mut versions = version::all_in(tx, shard).await?;
            versions.retain(|version| version.is_scratch && version.stage != Stage::Dropped);
            drop::drop_each(tx, shard, &mut versions).await?;
            Ok::<_, RebuildError>(versions)
        };
        self.store.building().of(shard).tx("projector.drop_scratch", work).await
    }
}
