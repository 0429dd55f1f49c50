//! Sums for the tie-out of a platform's account at a bank, all of one position.

use std::collections::BTreeMap;

use daybook_domain::calendar::Day;
use daybook_domain::posting::LedgerAccount;
use daybook_domain::{Currency, PlatformId};
use daybook_log::Shard;
use tokio_postgres::Row;
use uuid::Uuid;

use super::Balances;
use crate::error::Error;
use crate::models::ledger::{self, LedgerRow};
use crate::queries::row::currency;
use crate::store::sql;

/// Number of amounts, and their sum in minor units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of amounts.
    pub count: u64,
    /// Sum of the amounts.
    pub minor: i128,
}

impl Tally {
    /// Adds another tally.
    pub fn add(&mut self, other: Self) {
        self.count += other.count;
        self.minor += other.minor;
    }
}

/// Sums of a platform at a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TieOutSums {
    /// Position of the log that all sums are of.
    pub position: u64,
    /// Trial balance of the platform.
    pub ledger: Vec<LedgerRow>,
    /// Open items by account and the day since which they are open; debit positive.
    pub open: BTreeMap<(Currency, LedgerAccount, Day), Tally>,
    /// Lines in suspense by the day of their statement; money onto the account is positive.
    pub breaks: BTreeMap<(Currency, Day), Tally>,
}

impl Balances {
    /// Returns the sums for the tie-out of a platform.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn tie_out(&self, shard: Shard, platform: PlatformId) -> Result<TieOutSums, Error> {
        self.store.catch_up(shard).await?;
        let rows = self.store.ask(shard, ledger::TIE_OUT, &[&shard, &Uuid::from(platform)]).await?;
        let mut sums = TieOutSums::default();
        for row in &rows {
            sums.position = sql::to_u64(row.try_get(0)?);
            if let Some(part) = row.try_get::<_, Option<&str>>(1)? {
                sums.take(part, platform, row)?;
            }
        }
        Ok(sums)
    }
}

impl TieOutSums {
    fn take(&mut self, part: &str, platform: PlatformId, row: &Row) -> Result<(), Error> {
        let misread = || Error::Misread { table: "ledger_v1" };
        let sum = |column| row.try_get::<_, &str>(column)?.parse::<i128>().map_err(|_| misread());
        let day = || row.try_get::<_, &str>(4)?.parse::<Day>().map_err(|_| misread());
        let currency = currency(row, 2, "ledger_v1")?;
        let (debits, credits) = (sum(6)?, sum(7)?);
        let tally = Tally { count: sql::to_u64(row.try_get(5)?), minor: debits };
        match part {
            "ledger" => {
                let account = row.try_get(3)?;
                self.ledger.push(LedgerRow { platform, currency, account, debits, credits });
            }
            "open" => {
                let account = row.try_get::<_, &str>(3)?.parse().map_err(|_| misread())?;
                self.open.entry((currency, account, day()?)).or_default().add(tally);
            }
            _ => self.breaks.entry((currency, day()?)).or_default().add(tally),
        }
        Ok(())
    }
}
