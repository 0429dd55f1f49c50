//! The trial balance: debits and credits of every ledger account.

use daybook_domain::PlatformId;
use daybook_log::Shard;
use tokio_postgres::Row;
use uuid::Uuid;

use super::Balances;
use crate::error::Error;
use crate::models::ledger::{self, LedgerRow};
use crate::queries::row::{currency, id};
use crate::store::sql;

impl Balances {
    /// Returns the trial balance of one platform or of all, and the position of the log that it is of.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn trial_balance(
        &self,
        shard: Shard,
        platform: Option<PlatformId>,
    ) -> Result<(u64, Vec<LedgerRow>), Error> {
        self.store.catch_up(shard).await?;
        let platform = platform.map(Uuid::from);
        let rows = self.store.ask(shard, ledger::ROWS, &[&shard, &platform]).await?;
        let position = rows.first().map(|row| row.try_get(0)).transpose()?.map_or(0, sql::to_u64);
        let of_an_account = |row: &&Row| row.try_get::<_, Option<Uuid>>(1).is_ok_and(|id| id.is_some());
        let parse = |row: &Row| {
            Ok(LedgerRow {
                platform: PlatformId::from_u128(id(row, 1)?),
                currency: currency(row, 2, "ledger_v1")?,
                account: row.try_get(3)?,
                debits: sum(row.try_get(4)?)?,
                credits: sum(row.try_get(5)?)?,
            })
        };
        Ok((position, rows.iter().filter(of_an_account).map(parse).collect::<Result<_, Error>>()?))
    }
}

fn sum(digits: &str) -> Result<i128, Error> {
    digits.parse().map_err(|_| Error::Misread { table: "ledger_v1" })
}
