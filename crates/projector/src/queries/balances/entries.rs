//! Entries of accounts, read from their streams in the log.

use daybook_domain::{AccountId, Kind};
use daybook_log::{AsOf, PAGE, Position, Shard};
use tokio_postgres::Row;
use uuid::Uuid;

use super::{Balance, Balances, Moment, Summed};
use crate::error::Error;
use crate::models::daily::day_of;
use crate::models::entries::{AT_EACH, STRIDE};
use crate::queries::page::{Listed, Page};
use crate::store::recorded_event::RecordedEvent;
use crate::store::recorded_event::decode_all;
use crate::store::sql;

/// A balance and the newest entries that it consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// The balance; its `n` is the total number of entries.
    pub balance: Balance,
    /// The newest entries, each an event of the account, in the order of the log.
    pub entries: Vec<RecordedEvent>,
}

impl Balances {
    /// Returns a page of the entries of `account` in their order. It reads the log, so the page is as fresh as the log.
    ///
    /// # Errors
    ///
    /// [`Error::Undecodable`], or a failure of the log.
    pub async fn entries_of(
        &self,
        shard: Shard,
        account: AccountId,
        page: Page,
    ) -> Result<Listed<RecordedEvent>, Error> {
        let (last, position) = self.last_entry(shard, account).await?;
        let total = last.map_or(0, |last| last.version);
        let items = match u32::try_from(page.offset()) {
            Ok(after) if after < total => {
                self.entries(shard, account, after, page.size.min(total - after)).await?
            }
            _ => vec![],
        };
        Ok(Listed { items, total: total.into(), position })
    }

    /// Returns the balance of `account` at `moment` with its newest entries, at most `limit` of them; none in the same
    /// cases as [`Balances::balance_at`].
    ///
    /// # Errors
    ///
    /// As [`Balances::balance_at`] and [`Balances::entries_of`].
    pub async fn explain(
        &self,
        shard: Shard,
        account: AccountId,
        moment: Moment,
        limit: u32,
    ) -> Result<Option<Explained>, Error> {
        let Some(Summed { balance, last_n }) = self.summed(shard, account, moment).await? else {
            return Ok(None);
        };
        let counts = |entry: &RecordedEvent| match moment {
            Moment::EffectiveDay(day) => day_of(entry.effective_at) <= day,
            Moment::Now | Moment::Position(_) | Moment::Recorded(_) => true,
        };
        let wanted = balance.n.min(limit) as usize;
        let mut newest_first = Vec::with_capacity(wanted);
        let mut end = last_n;
        // One page is sufficient, unless entries are effective long before their neighbours.
        while newest_first.len() < wanted && end > 0 {
            let after = end.saturating_sub(limit.min(PAGE));
            let page = self.entries(shard, account, after, end - after).await?;
            newest_first.extend(page.into_iter().rev().filter(counts));
            end = after;
        }
        newest_first.truncate(wanted);
        newest_first.reverse();
        Ok(Some(Explained { balance, entries: newest_first }))
    }

    /// Returns the newest entry, and a position of the log up to which there is no newer one.
    pub(super) async fn last_entry(
        &self,
        shard: Shard,
        account: AccountId,
    ) -> Result<(Option<RecordedEvent>, u64), Error> {
        // The head is read first: an entry between the two reads must not count as seen.
        let head = self.store.log.head(shard).await?.position;
        let last = decode_all(&self.store.log.last(shard, &[Uuid::from(account)]).await?)?.pop();
        let last = last.filter(|last| last.key.kind == Kind::Account);
        let position = last.as_ref().map_or(head, |last| last.position.max(head));
        Ok((last, position))
    }

    /// Returns the last entry of each account at or before the position beside it, and the position of the cursor at
    /// the time of the search. The search does not know entries after the cursor.
    pub(crate) async fn entries_at(
        &self,
        shard: Shard,
        accounts: &[(AccountId, Position)],
    ) -> Result<(Position, Vec<Option<RecordedEvent>>), Error> {
        let ids: Vec<_> = accounts.iter().map(|(account, _)| Uuid::from(account)).collect();
        let positions: Vec<_> = accounts.iter().map(|(_, position)| sql::to_i64(*position)).collect();
        let rows = self.store.ask(shard, AT_EACH, &[&shard, &ids, &positions]).await?;
        let cursor = rows.first().map(|row| row.try_get(0)).transpose()?.map_or(0, sql::to_u64);
        let as_of = |((row, stream), (_, position)): ((&Row, Uuid), &(AccountId, Position))| {
            Ok(AsOf { stream, after: sql::to_u32(row.try_get(1)?), position: *position })
        };
        let streams = rows.iter().zip(ids).zip(accounts).map(as_of).collect::<Result<Vec<_>, Error>>()?;
        Ok((cursor, self.entries_as_of(shard, &streams).await?))
    }

    /// Returns the last entry of each account as of its position. The read model gives the start of the search. If the
    /// result contradicts the read model, the whole stream is searched: a missing or wrong row costs time, but never
    /// changes a balance.
    pub(crate) async fn entries_as_of(
        &self,
        shard: Shard,
        accounts: &[AsOf],
    ) -> Result<Vec<Option<RecordedEvent>>, Error> {
        let mut found = self.store.log.last_as_of(shard, accounts, STRIDE + 1).await?;
        for (account, last) in accounts.iter().zip(&mut found) {
            let is_last = match last {
                Some(last) => last.event.version <= account.after.saturating_add(STRIDE),
                None => account.after == 0,
            };
            if !is_last {
                let whole = AsOf { after: 0, ..*account };
                *last = self.store.log.last_as_of(shard, &[whole], u32::MAX).await?.pop().flatten();
            }
        }
        found.iter().map(|last| last.as_ref().map(RecordedEvent::decode).transpose()).collect()
    }

    /// Returns the entries with the numbers `after + 1 ..= after + limit`.
    pub(crate) async fn entries(
        &self,
        shard: Shard,
        account: AccountId,
        after: u32,
        limit: u32,
    ) -> Result<Vec<RecordedEvent>, Error> {
        decode_all(&self.store.log.stream_page(shard, Uuid::from(account), after, limit).await?)
    }
}
