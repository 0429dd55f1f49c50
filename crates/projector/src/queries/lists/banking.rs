//! Queries of operators and rails: clocks that are ahead, open items, files, queued transactions, and operations that
//! wait for approval.

use daybook_domain::calendar::Day;
use daybook_domain::posting::LedgerAccount;
use daybook_domain::{
    BreakId, CustodyId, Event, FileId, OperationId, PlatformId, Timestamp, TransactionId, custody,
};
use daybook_log::{Position, Shard};
use daybook_pg::types::TimestampMs;
use tokio_postgres::Row;
use uuid::Uuid;

use super::Lists;
use crate::error::Error;
use crate::models::files::{self, CutRow};
use crate::models::open_items::{self, OpenItemRow};
use crate::models::{breaks, custodies, evidence, operations, platforms, queued};
use crate::queries::page::{Listed, Page};
use crate::queries::row::{currency, id};
use crate::store::recorded_event::RecordedEvent;
use crate::store::sql::{self, Params};

/// A day of a row.
fn day(text: &str, table: &'static str) -> Result<Day, Error> {
    text.parse().map_err(|_| Error::Misread { table })
}

/// Maximum number of a platform's breaks, or of its overdue items, that are counted for metrics.
const MAX_COUNTED: i64 = 1_000;
/// Number of events of a custody that are read at once.
const EVENTS_PER_READ: u32 = 64;

impl Lists {
    /// Returns the platforms whose clock is ahead of the wall clock, and by how many milliseconds.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn clocks(&self, shard: Shard) -> Result<Vec<(PlatformId, i64)>, Error> {
        let rows = self.store.ask(shard, platforms::CLOCKS, &[&shard]).await?;
        rows.iter().map(|row| Ok((PlatformId::from_u128(id(row, 0)?), row.try_get(1)?))).collect()
    }

    /// Returns the evidence of a shard whose keys have to be destroyed, as subjects of the vault.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn destroyed_evidence(&self, shard: Shard) -> Result<Vec<Uuid>, Error> {
        let rows = self.store.ask(shard, evidence::DESTROYED, &[&shard]).await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }

    /// Returns the items of a platform that have been open since before `until`, the oldest first.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn open_items(
        &self,
        shard: Shard,
        platform: PlatformId,
        until: Timestamp,
        page: Page,
    ) -> Result<Vec<OpenItemRow>, Error> {
        let (platform, until) = (Uuid::from(platform), TimestampMs(until.ms()));
        let params: &Params<'_> = &[&shard, &platform, &until, &page.offset(), &page.limit()];
        let parse = |row: &Row| {
            let account: LedgerAccount =
                row.try_get::<_, &str>(1)?.parse().map_err(|_| Error::Misread { table: "open_items_v1" })?;
            Ok(OpenItemRow {
                transaction: TransactionId::from_u128(id(row, 0)?),
                account,
                currency: currency(row, 2, "open_items_v1")?,
                amount: row.try_get(3)?,
                since: Timestamp::from_ms(row.try_get::<_, TimestampMs>(4)?.0),
            })
        };
        self.store.ask(shard, open_items::LIST, params).await?.iter().map(parse).collect()
    }

    /// Returns the queued transactions of a platform.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn queued(
        &self,
        shard: Shard,
        platform: PlatformId,
        page: Page,
    ) -> Result<Listed<TransactionId>, Error> {
        let platform = Uuid::from(platform);
        let params: &Params<'_> = &[&shard, &platform, &page.offset(), &page.limit()];
        self.list(shard, queued::LIST, params, TransactionId::from_u128).await
    }

    /// Returns the operations of a platform; with `waiting_only`, those that wait for approval.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn operations(
        &self,
        shard: Shard,
        platform: PlatformId,
        waiting_only: bool,
        page: Page,
    ) -> Result<Listed<OperationId>, Error> {
        let platform = Uuid::from(platform);
        let params: &Params<'_> = &[&shard, &platform, &waiting_only, &page.offset(), &page.limit()];
        self.list(shard, operations::LIST, params, OperationId::from_u128).await
    }

    /// Returns the lines of a platform's statements that are in suspense, the oldest first.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn breaks(
        &self,
        shard: Shard,
        platform: PlatformId,
        page: Page,
    ) -> Result<Listed<BreakId>, Error> {
        let platform = Uuid::from(platform);
        let params: &Params<'_> = &[&shard, &platform, &page.offset(), &page.limit()];
        self.list(shard, breaks::LIST, params, BreakId::from_u128).await
    }

    /// Returns the number of open items of real platforms that are open since before the time of their account. Of each
    /// platform at most 1,000 are counted.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn overdue_items(
        &self,
        shard: Shard,
        before: &[(LedgerAccount, Timestamp)],
    ) -> Result<u64, Error> {
        let accounts: Vec<String> = before.iter().map(|(account, _)| account.to_string()).collect();
        let times: Vec<TimestampMs> = before.iter().map(|(_, time)| TimestampMs(time.ms())).collect();
        let last = before.iter().map(|(_, time)| time.ms()).max().unwrap_or_default();
        let params: &Params<'_> = &[&shard, &accounts, &times, &TimestampMs(last), &MAX_COUNTED];
        let rows = self.store.ask(shard, open_items::OVERDUE, params).await?;
        Ok(rows.first().map(|row| row.try_get(0)).transpose()?.map_or(0, sql::to_u64))
    }

    /// Returns the days of the lines in suspense of real platforms, each with the number of its lines. Of each platform the
    /// oldest 1,000 are counted.
    ///
    /// # Errors
    ///
    /// [`Error::Database`]; [`Error::Misread`] for a row that this version does not write.
    pub async fn break_days(&self, shard: Shard) -> Result<Vec<(Day, u64)>, Error> {
        let rows = self.store.ask(shard, breaks::AGES, &[&shard, &MAX_COUNTED]).await?;
        rows.iter()
            .map(|row| Ok((day(row.try_get(0)?, "breaks_v1")?, sql::to_u64(row.try_get(1)?))))
            .collect()
    }

    /// Returns the day of the newest statement of the real account and its currency for which it is longest ago; none if no
    /// account was ever stated. Currencies without a balance, which banks may state no longer, are left out.
    ///
    /// # Errors
    ///
    /// [`Error::Database`]; [`Error::Misread`] for a row that this version does not write.
    pub async fn oldest_statement(&self, shard: Shard) -> Result<Option<Day>, Error> {
        let rows = self.store.ask(shard, custodies::STATED, &[&shard]).await?;
        let found = rows.first().map(|row| row.try_get::<_, Option<&str>>(0)).transpose()?.flatten();
        found.map(|text| day(text, "custodies_v1")).transpose()
    }

    /// Returns the files that were cut for an account at a bank.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn files(&self, shard: Shard, custody: CustodyId, page: Page) -> Result<Listed<FileId>, Error> {
        let custody = Uuid::from(custody);
        let params: &Params<'_> = &[&shard, &custody, &page.offset(), &page.limit()];
        self.list(shard, files::LIST, params, FileId::from_u128).await
    }

    /// Returns a file as it was cut; none if there is no such file of the custody.
    ///
    /// # Errors
    ///
    /// Failures of log or database.
    pub async fn file(
        &self,
        shard: Shard,
        custody: CustodyId,
        file: FileId,
    ) -> Result<Option<CutRow>, Error> {
        let (custody, file) = (Uuid::from(custody), Uuid::from(file));
        let rows = self.store.ask(shard, files::FIND, &[&shard, &custody, &file]).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        let position = sql::to_u64(row.try_get(0)?);
        let recorded = self.store.log.read(shard, position.saturating_sub(1), position).await?;
        let Some(recorded) = recorded.first() else { return Ok(None) };
        let happened = RecordedEvent::decode(recorded)?;
        let (cut_at, version) = (happened.effective_at, happened.version);
        let Event::Custody(custody::Event::FileCut(cut)) = happened.event else { return Ok(None) };
        Ok(Some(CutRow { cut, cut_at, version }))
    }

    /// Returns the position as of which a file was rendered for the bank that accepted it; none if no bank has. A file
    /// is sent shortly after its cut, so the events of the custody are read from there.
    ///
    /// # Errors
    ///
    /// [`Error::Undecodable`] if this binary cannot decode an event of the custody; failures of the log.
    pub async fn file_sent(
        &self,
        shard: Shard,
        custody: CustodyId,
        row: &CutRow,
    ) -> Result<Option<Position>, Error> {
        let mut after = row.version;
        loop {
            let page = self.store.log.stream_page(shard, Uuid::from(custody), after, EVENTS_PER_READ).await?;
            let Some(last) = page.last() else { return Ok(None) };
            after = last.event.version;
            for recorded in &page {
                let happened = RecordedEvent::decode(recorded)?;
                let Event::Custody(custody::Event::FileSent(sent)) = happened.event else { continue };
                if sent.file == row.cut.file {
                    // Before files told their position, nothing changed a node between rendering and sending.
                    return Ok(Some(sent.as_of.unwrap_or(happened.position)));
                }
            }
        }
    }

    /// Returns the newest transaction with this trace number in a file of the custody.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn transaction_of_trace(
        &self,
        shard: Shard,
        custody: CustodyId,
        trace: u32,
    ) -> Result<Option<TransactionId>, Error> {
        let (custody, trace) = (Uuid::from(custody), sql::to_i32(trace));
        let rows = self.store.ask(shard, files::TRACE, &[&shard, &custody, &trace]).await?;
        rows.first().map(|row| Ok(TransactionId::from_u128(id(row, 0)?))).transpose()
    }

    /// Returns the number of open items of a platform.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn open_item_count(&self, shard: Shard, platform: PlatformId) -> Result<u64, Error> {
        self.store.catch_up(shard).await?;
        let platform = Uuid::from(platform);
        let rows = self.store.ask(shard, open_items::COUNT, &[&shard, &platform]).await?;
        Ok(rows.first().map(|row| row.try_get(0)).transpose()?.map_or(0, sql::to_u64))
    }
}
