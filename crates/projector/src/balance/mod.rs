//! Balances: what an account holds now, at any position of the log, at any recorded time, or by any effective date.
//!
//! Every entry carries the numbers after it, so the balance at a position is the last entry at or before it: one probe
//! of an index, however many entries there are. A recorded time is a position. By effective date the order is another
//! one, so there the days are summed.

mod entries;

use daybook_domain::{AccountId, Event, Timestamp, account};
use daybook_log::Shard;
pub use entries::Explained;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use crate::error::Error;
use crate::list::PATIENCE;
use crate::{Reads, read, sql};

/// As of when a balance is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// As fresh as the log.
    Now,
    /// After the event at this position of the log, and before the next.
    Position(u64),
    /// After all that was recorded at or before this time.
    Recorded(Timestamp),
    /// At the end of this day, in days since 1970-01-01 UTC: all entries that count by then, whenever they came.
    EffectiveDay(i32),
}

/// The numbers of an account at some moment, in minor units as its owner sees them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Balance {
    /// What the entries sum to.
    pub posted: i64,
    /// Promised to transactions; not known by effective date.
    pub held: Option<i64>,
    /// On its way in; not known by effective date.
    pub pending_in: Option<i64>,
    /// The position of the log that it is of.
    pub position: u64,
    /// How many entries made it.
    pub n: u32,
}

impl Balance {
    /// What could be taken: `posted − held`; not known by effective date.
    #[must_use]
    pub fn available(&self) -> Option<i64> {
        self.held.map(|held| self.posted.saturating_sub(held))
    }
}

impl Reads {
    /// The balance of `account` at `moment`; all zero before its first entry. None if the log has not come to the
    /// position that was named.
    ///
    /// # Errors
    ///
    /// [`Error::Behind`] if the projection did not reach the position in time; failures of log or database.
    pub async fn balance_at(
        &self,
        shard: Shard,
        account: AccountId,
        moment: Moment,
    ) -> Result<Option<Balance>, Error> {
        Ok(self.summed(shard, account, moment).await?.map(|summed| summed.balance))
    }

    async fn summed(
        &self,
        shard: Shard,
        account: AccountId,
        moment: Moment,
    ) -> Result<Option<Summed>, Error> {
        match moment {
            Moment::Now => self.summed_now(shard, account).await.map(Some),
            Moment::Position(position) => self.summed_at(shard, account, position).await,
            Moment::Recorded(at) => {
                let position = self.log.position_at(shard, at.ms()).await?;
                self.summed_at(shard, account, position).await
            }
            Moment::EffectiveDay(day) => self.summed_by(shard, account, day).await.map(Some),
        }
    }

    async fn summed_now(&self, shard: Shard, account: AccountId) -> Result<Summed, Error> {
        let (last, position) = self.last_entry(shard, account).await?;
        let numbers = last.and_then(|last| {
            let Event::Account(account::Event::Entry(entry)) = last.event else { return None };
            Some((last.version, entry.posted, entry.held, entry.pending_in))
        });
        Ok(Summed::after(numbers, position))
    }

    /// Waits for the projection, but answers nothing that is older than what was asked for.
    async fn summed_at(
        &self,
        shard: Shard,
        account: AccountId,
        position: u64,
    ) -> Result<Option<Summed>, Error> {
        let (cursor, summed) = self.probe(shard, account, position).await?;
        if cursor >= position {
            return Ok(Some(summed));
        }
        let head = self.log.head(shard).await?.position;
        if head < position {
            return Ok(None);
        }
        self.log.observe(shard, head);
        self.caught_up(shard, position, PATIENCE).await?;
        let (cursor, summed) = self.probe(shard, account, position).await?;
        if cursor < position { Err(Error::Behind { cursor, position }) } else { Ok(Some(summed)) }
    }

    /// The last entry at or before `position`, and where the cursor stood when it was read.
    async fn probe(&self, shard: Shard, account: AccountId, position: u64) -> Result<(u64, Summed), Error> {
        let up_to = sql::to_i64(position);
        let Some(row) = self.numbers(shard, read::entries::AT, account, &up_to).await? else {
            return Ok((0, Summed::after(None, position)));
        };
        let numbers = match row.try_get::<_, Option<i32>>(1)? {
            Some(n) => Some((sql::to_u32(n), row.try_get(2)?, row.try_get(3)?, row.try_get(4)?)),
            None => None,
        };
        Ok((sql::to_u64(row.try_get(0)?), Summed::after(numbers, position)))
    }

    /// The sum of the days up to `day`; like a list it waits a moment and tells the position that it is of.
    async fn summed_by(&self, shard: Shard, account: AccountId, day: i32) -> Result<Summed, Error> {
        let summed = self.sum_of_days(shard, account, day).await?;
        let head = self.log.head(shard).await?.position;
        if summed.balance.position >= head {
            return Ok(summed);
        }
        self.log.observe(shard, head);
        self.caught_up(shard, head, PATIENCE).await?;
        self.sum_of_days(shard, account, day).await
    }

    async fn sum_of_days(&self, shard: Shard, account: AccountId, day: i32) -> Result<Summed, Error> {
        let Some(row) = self.numbers(shard, read::daily::AT, account, &day).await? else {
            return Ok(Summed::default());
        };
        let (position, n, last_n) = (row.try_get(0)?, row.try_get(2)?, row.try_get(3)?);
        let balance = Balance {
            posted: row.try_get(1)?,
            held: None,
            pending_in: None,
            position: sql::to_u64(position),
            n: sql::to_u32(n),
        };
        Ok(Summed { balance, last_n: sql::to_u32(last_n) })
    }

    /// The row that `sql` finds about an account up to some place; none as long as there is no cursor.
    async fn numbers(
        &self,
        shard: Shard,
        sql: &str,
        account: AccountId,
        up_to: &(dyn ToSql + Sync),
    ) -> Result<Option<tokio_postgres::Row>, Error> {
        let rows = self.ask(shard, sql, &[&shard, &Uuid::from_u128(account.as_u128()), up_to]).await?;
        Ok(rows.into_iter().next())
    }
}

/// A balance, and the number of the newest entry in it.
#[derive(Clone, Copy, Debug, Default)]
struct Summed {
    balance: Balance,
    last_n: u32,
}

impl Summed {
    /// As an entry leaves it: its number, then `posted`, `held` and `pending_in` after it.
    fn after(entry: Option<(u32, i64, i64, i64)>, position: u64) -> Self {
        let (n, posted, held, pending_in) = entry.unwrap_or_default();
        let balance = Balance { posted, held: Some(held), pending_in: Some(pending_in), position, n };
        Self { balance, last_n: n }
    }
}
