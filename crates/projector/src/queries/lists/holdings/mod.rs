//! Holdings of a user: the records in read models that can prevent an erasure. Operators query them rarely.

use daybook_domain::{Currency, NodeId, TransactionId, UserId};
use daybook_log::Shard;
use tokio_postgres::Row;
use uuid::Uuid;

use super::Lists;
use crate::error::Error;
use crate::store::sql::Params;

/// Holdings of a user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holdings {
    /// The user's nodes, including inactive ones, the oldest first.
    pub nodes: Vec<NodeId>,
    /// The user's accounts that have at least one entry.
    pub accounts: Vec<(NodeId, Currency)>,
    /// The user's transactions that are under way or that no statement has explained, and the newest one if there is
    /// any.
    pub transactions: Vec<TransactionId>,
}

impl Lists {
    /// Returns the holdings of `user` as of the cursor.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn holdings(&self, shard: Shard, user: UserId) -> Result<Holdings, Error> {
        let id = Uuid::from(user);
        let of_user: &Params<'_> = &[&shard, &id];
        let nodes = self.rows_of_user(shard, include_str!("nodes.sql"), of_user).await?;
        let accounts = self.rows_of_user(shard, include_str!("accounts.sql"), of_user).await?;
        let transactions = self.rows_of_user(shard, include_str!("transactions.sql"), of_user).await?;
        let id = |row: &Row| row.try_get::<_, Uuid>(0).map(|id| id.as_u128());
        let account = |row: &Row| {
            let currency = Currency::parse(row.try_get(1)?).ok_or(Error::Misread { table: "balances" })?;
            Ok::<_, Error>((NodeId::from_u128(id(row)?), currency))
        };
        Ok(Holdings {
            nodes: nodes.iter().map(|row| Ok(NodeId::from_u128(id(row)?))).collect::<Result<_, Error>>()?,
            accounts: accounts.iter().map(account).collect::<Result<_, Error>>()?,
            transactions: transactions
                .iter()
                .map(|row| Ok(TransactionId::from_u128(id(row)?)))
                .collect::<Result<_, Error>>()?,
        })
    }

    async fn rows_of_user(&self, shard: Shard, sql: &str, params: &Params<'_>) -> Result<Vec<Row>, Error> {
        let sql = self.store.with_active_tables(shard, sql).await?;
        let db = self.store.pg.of(shard).client().await?;
        let statement = db.prepare_cached(&sql).await?;
        Ok(db.query(&statement, params).await?)
    }
}
