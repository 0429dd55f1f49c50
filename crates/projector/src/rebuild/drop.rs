//! Dropping: the tables of a version go when no process can ask for them any more.

use daybook_log::Shard;
use daybook_pg::Transaction;

use crate::error::Error;
use crate::read::Model;
use crate::version::{self, Stage, Version};
use crate::{Reads, cursor, sql};

/// Why a version is not dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotDropped {
    /// There is no version beside the one that is read, or none with this number.
    #[error("there is no such version of {0} to drop")]
    None(Model),
    /// It is the one that is read.
    #[error("{0} is read")]
    Active(Version),
    /// Processes that live have not said that they know of the switch.
    #[error("{1} processes may still read {0}")]
    Awaited(Version, u64),
}

impl Reads {
    /// Drops the version `number` of `model`; without a number all that are retired or unfinished.
    ///
    /// # Errors
    ///
    /// [`Error::NotDropped`]; nothing was dropped then. [`Error::Database`].
    pub async fn drop(&self, shard: Shard, model: Model, number: Option<u16>) -> Result<Vec<Version>, Error> {
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
            for version in &mut versions {
                drop_one(tx, shard, version).await?;
            }
            Ok::<_, Error>(versions)
        };
        self.building().tx("projector.drop", work).await
    }
}

pub(super) async fn drop_one(tx: &Transaction<'_>, shard: Shard, version: &mut Version) -> Result<(), Error> {
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
    // First, as whoever fills it does: else each would wait for what the other holds.
    version::take(tx, shard, version).await?;
    for table in version.tables() {
        tx.batch_execute(&format!("drop table if exists {table}")).await?;
    }
    version.stage = Stage::Dropped;
    version::save(tx, shard, version).await
}
