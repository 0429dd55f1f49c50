//! Lists: pages in the order of creation, each with the exact total of the list and the position of the log that both
//! are of.

mod banking;
mod holdings;
mod of_owners;
mod to_dos;

use daybook_log::Shard;
use futures::try_join;
pub use holdings::Holdings;
pub use to_dos::{Backlog, Due, DuePosition, Question};
use tokio_postgres::Row;
use uuid::Uuid;

use super::aggregates::Aggregates;
use super::page::Listed;
use crate::error::Error;
use crate::store::Store;
use crate::store::sql::{self, Params};

/// Handle for queries of lists. Cheap to clone.
#[derive(Clone)]
pub struct Lists {
    store: Store,
    aggregates: Aggregates,
}

impl Lists {
    pub(crate) fn new(store: Store, aggregates: Aggregates) -> Self {
        Self { store, aggregates }
    }

    /// Queries a page immediately. If the projection was behind the head of the log, waits for it and queries once
    /// more.
    pub(crate) async fn list<T>(
        &self,
        shard: Shard,
        sql: &str,
        params: &Params<'_>,
        id: impl Fn(u128) -> T,
    ) -> Result<Listed<T>, Error> {
        let head = async { self.store.log.head(shard).await.map_err(Error::from) };
        let (listed, head) = try_join!(self.list_now(shard, sql, params, &id), head)?;
        if listed.position >= head.position {
            return Ok(listed);
        }
        self.store.wait_for(shard, head.position).await?;
        self.list_now(shard, sql, params, &id).await
    }

    async fn list_now<T>(
        &self,
        shard: Shard,
        sql: &str,
        params: &Params<'_>,
        id: impl Fn(u128) -> T,
    ) -> Result<Listed<T>, Error> {
        let rows = self.store.ask(shard, sql, params).await?;
        let number = |row: Option<&Row>, column: usize| -> Result<u64, Error> {
            Ok(row.map(|row| row.try_get(column)).transpose()?.map_or(0, sql::to_u64))
        };
        let (position, total) = (number(rows.first(), 0)?, number(rows.first(), 1)?);
        let member = |row: &Row| row.try_get::<_, Option<Uuid>>(2).map_err(Error::from).transpose();
        let items = rows.iter().filter_map(member).map(|found| Ok(id(found?.as_u128())));
        Ok(Listed { items: items.collect::<Result<_, Error>>()?, total, position })
    }
}
