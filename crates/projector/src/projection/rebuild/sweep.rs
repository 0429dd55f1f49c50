//! Deletes the rows of a shard's dropped versions from tables that other shards use.

use daybook_log::Shard;

use crate::error::Error;
use crate::projection::Versions;
use crate::store::Model;
use crate::store::version::{self, Version};

/// Maximum number of rows that one statement deletes, so that no lock is held for long.
const SWEEP_ROWS: i64 = 5_000;

impl Versions {
    /// Deletes the rows that dropped versions of `model` left, of the version `number` or of all, and returns the
    /// versions that had any. A sweep that was killed is continued by the next one, because no query and no rebuild
    /// uses a dropped version of the shard again.
    pub(super) async fn sweep(
        &self,
        shard: Shard,
        model: Model,
        number: Option<u16>,
    ) -> Result<Vec<Version>, Error> {
        let mut dropped = self.all(shard).await?;
        dropped.retain(|version| {
            version.model == model
                && version.is_dropped()
                && !version.is_scratch
                && number.is_none_or(|number| version.number == number)
        });
        let mut swept = vec![];
        for version in dropped {
            let mut rows = 0;
            for table in version.tables() {
                rows += self.sweep_table(shard, &table).await?;
            }
            if rows > 0 {
                swept.push(version);
            }
        }
        Ok(swept)
    }

    /// Deletes the rows of `shard` in pages, each in its own transaction, and returns their number. A table that does
    /// not exist has none.
    async fn sweep_table(&self, shard: Shard, table: &str) -> Result<u64, Error> {
        let db = self.store.feeding().of(shard).client().await?;
        if !version::is_there(&db, table).await? {
            return Ok(0);
        }
        let statement = db.prepare(&include_str!("sweep.sql").replace("records_v1", table)).await?;
        let mut rows = 0;
        loop {
            match db.execute(&statement, &[&shard, &SWEEP_ROWS]).await? {
                0 => return Ok(rows),
                deleted => rows += deleted,
            }
        }
    }
}
