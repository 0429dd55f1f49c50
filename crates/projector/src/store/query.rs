//! Queries of the active versions. If a process holds a version that was dropped, because it did not report for too
//! long, it reloads the versions and repeats the query.

use daybook_log::Shard;
use daybook_log::postgres::Lease;
use tokio_postgres::Row;

use super::Store;
use super::sql::Params;
use super::version::Tables;
use crate::error::Error;

impl Store {
    /// Returns the rows of the query `sql`, which names tables by their fold, such as `users_v1`.
    pub(crate) async fn ask(&self, shard: Shard, sql: &str, params: &Params<'_>) -> Result<Vec<Row>, Error> {
        self.ask_fold(shard, |_| sql, params).await
    }

    /// Does the same if `sql` depends on the fold.
    pub(crate) async fn ask_fold<'s>(
        &self,
        shard: Shard,
        sql: impl Fn(&Tables) -> &'s str,
        params: &Params<'_>,
    ) -> Result<Vec<Row>, Error> {
        let tables = self.tables(shard).await?;
        match self.ask_of(shard, &tables, sql(&tables), params).await {
            Err(error) if error.is_dropped() => {
                let tables = self.reload_versions(shard).await?;
                self.ask_of(shard, &tables, sql(&tables), params).await
            }
            done => done,
        }
    }

    async fn ask_of(
        &self,
        shard: Shard,
        tables: &Tables,
        sql: &str,
        params: &Params<'_>,
    ) -> Result<Vec<Row>, Error> {
        let sql = &*tables.sql(sql);
        let ask = |db: Lease| async move {
            let statement = db.prepare_cached(sql).await?;
            Ok(db.query(&statement, params).await?)
        };
        self.reading(shard, tables.generation, ask).await
    }
}
