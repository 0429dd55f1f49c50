//! The reconciliation of now, from the read models. All sums are of one position of the log; the lists may be newer.

use std::collections::BTreeMap;

use daybook_domain::breaks::Break;
use daybook_domain::calendar::{Day, banking_days_between};
use daybook_domain::{BreakId, Currency, CustodyId, Key, States};
use daybook_projector::{OpenItemRow, Page, TieOutSums};

use super::report::{Listing, OpenBreak, OpenItem, Period, Report, StatedDay};
use super::stated;
use super::tie_out::{Balances, tie_out};
use crate::access::PlatformRecord;
use crate::engine::Engine;
use crate::ops::OpsError;

/// Maximum number of rows of each list. The lists of open items, breaks and statements have all of them.
const MAX_ROWS: u32 = 100;

/// Number of attempts to read balances between two changes of the account at the bank.
const ATTEMPTS: usize = 3;

/// The bank's account by its statements.
#[derive(Default, PartialEq, Eq)]
struct Stated {
    /// Balances after the last line that is booked or taken back.
    balances: BTreeMap<Currency, i64>,
    /// Newest stated days.
    until: BTreeMap<Currency, Day>,
    /// True if lines are still to be booked or taken back.
    is_booking: bool,
}

impl Engine {
    /// Returns the current day of a platform, by its clock.
    ///
    /// # Errors
    ///
    /// Fails if the read models are unavailable.
    pub async fn today(&self, platform: &PlatformRecord) -> Result<Day, OpsError> {
        let found = self.reads().aggregates().records(platform.shard, &[platform.id.into()]).await?;
        Ok(Day::of(found.now_of(Some(platform.id), self.clock().now())))
    }

    /// Returns the reconciliation of a platform with its bank as of now, with the first rows of each list. `day` is
    /// today, for the ages. `None` if the platform does not exist.
    ///
    /// # Errors
    ///
    /// Fails if the read models or the log are unavailable.
    pub async fn reconciliation(
        &self,
        platform: &PlatformRecord,
        period: Period,
        day: Day,
    ) -> Result<Option<Report>, OpsError> {
        let shard = platform.shard;
        let Some(custody) = self.custody_of(shard, platform.id).await? else { return Ok(None) };
        let (sums, stated) = self.of_one_position(platform, custody).await?;
        let all = self.all_statements(shard, custody).await?;
        let mut statements: Vec<StatedDay> = all.iter().map(|(id, of)| StatedDay::of(*id, of)).collect();
        statements.sort_by_key(|it| (it.day, it.currency));
        let ledger = daybook_projector::custody(&sums.ledger).into_iter();
        let balances = Balances {
            ledger: ledger.map(|((_, currency), row)| (currency, row)).collect(),
            stated: stated.balances,
            stated_until: stated.until,
            open: sums.open,
            breaks: sums.breaks,
        };
        let tie_outs = tie_out(&balances, &statements, period, day);
        statements.retain(|it| period.has(it.day));
        Ok(Some(Report {
            platform: platform.id,
            position: sums.position,
            period,
            day,
            is_booking: stated.is_booking,
            rules: self.rules_of(shard, custody).await?.version,
            tie_outs,
            statements: Listing::first(statements, MAX_ROWS as usize),
            open: self.oldest_items(platform, day).await?,
            breaks: self.oldest_breaks(platform, day).await?,
            acts: None,
        }))
    }

    /// Returns the sums of the ledger and the balances that the bank states at the same position.
    async fn of_one_position(
        &self,
        platform: &PlatformRecord,
        custody: CustodyId,
    ) -> Result<(TieOutSums, Stated), OpsError> {
        let balances = self.reads().balances();
        for _ in 0..ATTEMPTS {
            let head = self.log().head(platform.shard).await.map_err(daybook_projector::Error::from)?;
            let before = self.stated_balances(platform, custody, None).await?;
            let sums = balances.tie_out(platform.shard, platform.id).await?;
            // The balances are as new as the log; the sums are as new as the read models, which may be behind it.
            let is_new = sums.position >= head.position;
            if is_new && self.stated_balances(platform, custody, None).await? == before {
                return Ok((sums, before));
            }
        }
        // Lines are being booked, or the read models are behind. The streams tell any position, but reading them takes longer.
        let sums = balances.tie_out(platform.shard, platform.id).await?;
        let stated = self.stated_balances(platform, custody, Some(sums.position)).await?;
        Ok((sums, stated))
    }

    /// Returns the balances that the bank states, as of a position or now.
    async fn stated_balances(
        &self,
        platform: &PlatformRecord,
        custody: CustodyId,
        at: Option<u64>,
    ) -> Result<Stated, OpsError> {
        let aggregates = self.reads().aggregates();
        let read = async |keys: &[Key]| match at {
            None => aggregates.records(platform.shard, keys).await,
            Some(position) => aggregates.records_at(platform.shard, keys, position).await,
        };
        let found = read(&[custody.into()]).await?;
        let Some(custody) = found.custody(custody) else { return Ok(Stated::default()) };
        let moving: Vec<Key> = custody.booking.iter().map(|id| Key::from(*id)).collect();
        let moving = read(&moving).await?;
        Ok(Stated {
            balances: stated::balances(custody, |id| moving.statement(id)),
            until: custody.statements.iter().map(|(currency, (day, _))| (*currency, *day)).collect(),
            is_booking: !custody.booking.is_empty(),
        })
    }

    async fn oldest_items(&self, platform: &PlatformRecord, day: Day) -> Result<Listing<OpenItem>, OpsError> {
        let lists = self.reads().lists();
        let count = lists.open_item_count(platform.shard, platform.id).await?;
        let until = day.plus_days(1).start();
        let page = Page { number: 1, size: MAX_ROWS };
        let rows = lists.open_items(platform.shard, platform.id, until, page).await?;
        let item = |row: &OpenItemRow| {
            let &OpenItemRow { transaction, account, currency, amount, since } = row;
            let since = Day::of(since);
            OpenItem { transaction, account, currency, amount, since, age: banking_days_between(since, day) }
        };
        Ok(Listing { rows: rows.iter().map(item).collect(), count })
    }

    async fn oldest_breaks(
        &self,
        platform: &PlatformRecord,
        day: Day,
    ) -> Result<Listing<OpenBreak>, OpsError> {
        let page = Page { number: 1, size: MAX_ROWS };
        let listed = self.reads().lists().breaks(platform.shard, platform.id, page).await?;
        let keys: Vec<Key> = listed.items.iter().map(|id| Key::from(*id)).collect();
        let found = self.reads().aggregates().records(platform.shard, &keys).await?;
        let aged = |id: BreakId, of: &Break| OpenBreak::of(id, of, banking_days_between(of.day, day));
        // The states may be newer than the list: a line that was explained meanwhile is no break.
        let open = |id: BreakId| found.line_break(id).filter(|of| of.left != 0);
        let rows = listed.items.iter().filter_map(|id| Some(aged(*id, open(*id)?))).collect();
        Ok(Listing { rows, count: listed.total })
    }
}
