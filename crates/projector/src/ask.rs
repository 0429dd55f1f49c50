//! Asking: a statement about what is read. Whoever holds to a version that was dropped meanwhile, because this process
//! was silent for too long, looks which it is now and asks again.

use daybook_log::Shard;
use tokio_postgres::Row;

use crate::Reads;
use crate::error::Error;
use crate::sql::Params;
use crate::version::Tables;

impl Reads {
    /// The rows that `sql` finds, which names tables `users_v1`.
    pub(crate) async fn ask(&self, shard: Shard, sql: &str, params: &Params<'_>) -> Result<Vec<Row>, Error> {
        match self.ask_of(&*self.tables(shard).await?, sql, params).await {
            Err(error) if error.is_dropped() => {
                self.ask_of(&*self.look_at_versions(shard).await?, sql, params).await
            }
            done => done,
        }
    }

    async fn ask_of(&self, tables: &Tables, sql: &str, params: &Params<'_>) -> Result<Vec<Row>, Error> {
        let db = self.pg.client().await?;
        let statement = db.prepare_cached(&tables.sql(sql)).await?;
        Ok(db.query(&statement, params).await?)
    }
}
