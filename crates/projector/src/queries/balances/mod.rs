//! Balances of accounts: current, as of a position of the log, as of a time of recording, or at the end of an effective
//! day.
//!
//! Every entry contains the numbers after it, so the balance at a position is the last entry at or before it: two
//! probes of indexes, however many entries there are. A time of recording is converted to a position. The balance at
//! the end of an effective day is the balance at the end of that day's recording, corrected by the entries that count
//! on another day than that of their recording.

mod entries;
mod tie_out;
mod trial;

use daybook_domain::{AccountId, Timestamp};
use daybook_log::Shard;
pub use entries::Explained;
pub use tie_out::{Tally, TieOutSums};
use uuid::Uuid;

use crate::error::Error;
use crate::models::{Model, daily};
use crate::store::CATCH_UP_TIMEOUT;
use crate::store::recorded_event::RecordedEvent;
use crate::store::{Store, sql};

/// As-of point of a balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// The head of the log.
    Now,
    /// After the event at this position of the log, and before the next event.
    Position(u64),
    /// After all events that were recorded at or before this time.
    Recorded(Timestamp),
    /// At the end of this day, in days since 1970-01-01 UTC: all entries that are effective by then, whenever they were
    /// recorded.
    EffectiveDay(i32),
}

/// Numbers of an account at a moment, in minor units, as the owner of the account sees them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Balance {
    /// Sum of the entries.
    pub posted: i64,
    /// Amount promised to transactions (authorization holds); none at an effective day.
    pub held: Option<i64>,
    /// Amount of pending credits; none at an effective day.
    pub pending_in: Option<i64>,
    /// Position of the log as of which the balance is.
    pub position: u64,
    /// Number of entries that the balance consists of.
    pub n: u32,
}

impl Balance {
    /// Returns the available balance, `posted − held`; none at an effective day.
    #[must_use]
    pub fn available(&self) -> Option<i64> {
        self.held.map(|held| self.posted.saturating_sub(held))
    }
}

/// Handle for queries of balances and entries of accounts. Cheap to clone.
#[derive(Clone)]
pub struct Balances {
    store: Store,
}

impl Balances {
    pub(crate) fn new(store: Store) -> Self {
        Self { store }
    }

    /// Returns the balance of `account` at `moment`; all zero before its first entry. None if the position is after the
    /// head of the log.
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
                let position = self.store.log.position_at(shard, at.ms()).await?;
                self.summed_at(shard, account, position).await
            }
            Moment::EffectiveDay(day) => self.summed_by(shard, account, day).await.map(Some),
        }
    }

    async fn summed_now(&self, shard: Shard, account: AccountId) -> Result<Summed, Error> {
        let (last, position) = self.last_entry(shard, account).await?;
        Ok(Summed::after(last.as_ref(), position))
    }

    /// Waits for the projection, and returns an error rather than an answer that is older than `position`.
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
        let head = self.store.log.head(shard).await?.position;
        if head < position {
            return Ok(None);
        }
        self.store.log.observe(shard, head);
        self.store.caught_up(shard, position, CATCH_UP_TIMEOUT).await?;
        let (cursor, summed) = self.probe(shard, account, position).await?;
        if cursor < position { Err(Error::Behind { cursor, position }) } else { Ok(Some(summed)) }
    }

    /// Returns the balance after the last entry at or before `position`, and the position of the cursor at the search.
    async fn probe(&self, shard: Shard, account: AccountId, position: u64) -> Result<(u64, Summed), Error> {
        let (cursor, mut found) = self.entries_at(shard, &[(account, position)]).await?;
        Ok((cursor, Summed::after(found.pop().flatten().as_ref(), position)))
    }

    /// Returns the balance at the end of `day`. As a list does, it waits 250 ms at most for the projection, and returns
    /// the position that it is of.
    async fn summed_by(&self, shard: Shard, account: AccountId, day: i32) -> Result<Summed, Error> {
        let summed = self.counted_by(shard, account, day).await?;
        let head = self.store.log.head(shard).await?.position;
        if summed.balance.position >= head {
            return Ok(summed);
        }
        self.store.wait_for(shard, head).await?;
        self.counted_by(shard, account, day).await
    }

    async fn counted_by(&self, shard: Shard, account: AccountId, day: i32) -> Result<Summed, Error> {
        let id = Uuid::from(account);
        let params: &sql::Params<'_> = &[&shard, &id, &day];
        let rows = self.store.ask_fold(shard, |tables| daily::at(tables.fold(Model::DAILY)), params).await?;
        let Some(row) = rows.first() else { return Ok(Summed::default()) };
        let cursor = sql::to_u64(row.try_get(0)?);
        let (delta, entries, newest) = (row.try_get::<_, i64>(1)?, row.try_get(2)?, row.try_get(3)?);
        let recorded = if row.try_get(4)? {
            Summed::default()
        } else {
            // The effective days of entries after the cursor are not known yet.
            let end = self.store.log.position_at(shard, daily::end_of(day).ms()).await?.min(cursor);
            self.probe(shard, account, end).await?.1
        };
        let balance = Balance {
            posted: recorded.balance.posted.saturating_add(delta),
            held: None,
            pending_in: None,
            position: cursor,
            n: recorded.balance.n.saturating_add_signed(entries),
        };
        Ok(Summed { balance, last_n: recorded.last_n.max(sql::to_u32(newest)) })
    }
}

/// A balance, and the number of an entry that is not older than its newest entry.
#[derive(Clone, Copy, Debug, Default)]
struct Summed {
    balance: Balance,
    last_n: u32,
}

impl Summed {
    /// Returns the balance after the entry `last`; all zero without one.
    fn after(last: Option<&RecordedEvent>, position: u64) -> Self {
        let entry = last.and_then(|last| Some((last.version, last.entry()?)));
        let numbers = entry.map(|(n, entry)| (n, entry.posted, entry.held, entry.pending_in));
        let (n, posted, held, pending_in) = numbers.unwrap_or_default();
        let balance = Balance { posted, held: Some(held), pending_in: Some(pending_in), position, n };
        Self { balance, last_n: n }
    }
}
