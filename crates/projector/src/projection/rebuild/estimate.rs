//! Estimates the size of a rebuild before anything is done.

use daybook_log::Shard;

use super::RebuildError;
use crate::projection::Versions;
use crate::store::Model;
use crate::store::sql;

/// Size of a rebuild.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Number of events that it would read.
    pub events: u64,
    /// Bytes that its tables would take: the present size of the active tables, with the rows of all shards.
    pub bytes: u64,
}

impl Versions {
    /// Estimates a rebuild of `model`.
    ///
    /// # Errors
    ///
    /// [`RebuildError::NotChosen`] if no version of `model` is active. [`RebuildError::Failed`].
    pub async fn estimate(&self, shard: Shard, model: Model) -> Result<Estimate, RebuildError> {
        let events = self.store.position(shard).await?;
        let tables: Vec<String> = self.active(shard, model).await?.tables().collect();
        let db = self.store.pg.of(shard).client().await?;
        let statement = db.prepare_cached(include_str!("bytes.sql")).await?;
        let row = db.query_one(&statement, &[&tables]).await?;
        Ok(Estimate { events, bytes: sql::to_u64(row.try_get(0)?) })
    }
}
