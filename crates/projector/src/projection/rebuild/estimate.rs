//! Estimates: what a rebuild is about to read and to write, before anything is done.

use daybook_log::Shard;

use super::RebuildError;
use crate::projection::Versions;
use crate::store::Model;
use crate::store::sql;

/// What a rebuild would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// How many events it would read.
    pub events: u64,
    /// How many bytes its tables would take: what those that are read take now.
    pub bytes: u64,
}

impl Versions {
    /// What it would take to rebuild `model`.
    ///
    /// # Errors
    ///
    /// [`RebuildError::NotChosen`] if no version of it is read. [`RebuildError::Failed`].
    pub async fn estimate(&self, shard: Shard, model: Model) -> Result<Estimate, RebuildError> {
        let events = self.store.position(shard).await?;
        let tables: Vec<String> = self.active(shard, model).await?.tables().collect();
        let db = self.store.pg.client().await?;
        let statement = db.prepare_cached(include_str!("bytes.sql")).await?;
        let row = db.query_one(&statement, &[&tables]).await?;
        Ok(Estimate { events, bytes: sql::to_u64(row.try_get(0)?) })
    }
}
