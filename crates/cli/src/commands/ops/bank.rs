//! `daybook ops open-items`, `breaks`, `files` and `returns`: open items, lines in suspense, and files to and from a bank.

use std::io::{self, Write};
use std::path::Path;

use daybook_api::wire::ops::{breaks, file, open_item, returned};
use daybook_domain::calendar::Day;
use daybook_domain::custody::AccountNumber;
use daybook_domain::custody::account::NotAccountNumber;
use daybook_domain::roles::Right;
use daybook_domain::{BreakId, FileId, Key, States};
use daybook_projector::{Listed, OpenItemRow};
use serde_json::json;

use super::listing::{BREAKS, FILES, Listing, OPEN_ITEMS, RETURNS};
use super::{OperatorSession, as_operator, custody, pages, read, today};
use crate::config::OperatorOptions;
use crate::error::Error;
use crate::out;

/// Prints the open items: amounts that no statement has explained yet.
pub(super) async fn open_items(desk: &OperatorOptions) -> Result<(), Error> {
    as_operator(desk, Right::Read, async |OperatorSession { engine, platform, .. }| {
        let (reads, shard) = (engine.reads(), platform.shard);
        // Counted first, so that the rows are not older than their number.
        let total = reads.lists().open_item_count(shard, platform.id).await?;
        let found = reads.aggregates().records(shard, &[platform.id.into()]).await?;
        let now = found.now_of(Some(platform.id), engine.clock().now());
        let tomorrow = Day::of(now).plus_days(1).start();
        let list = async |page| {
            let items = reads.lists().open_items(shard, platform.id, tomorrow, page).await?;
            Ok(Listed { items, total, position: 0 })
        };
        let mut listing = Listing::of(desk, OPEN_ITEMS);
        let show = async |rows: Vec<OpenItemRow>| {
            rows.iter().try_for_each(|row| listing.add(&open_item::render(row, now)))
        };
        pages(list, show).await?;
        listing.end()
    })
    .await
}

/// Prints the lines of the bank's statements that are in suspense.
pub(super) async fn breaks(desk: &OperatorOptions) -> Result<(), Error> {
    as_operator(desk, Right::Read, async |work| {
        let (reads, platform) = (work.engine.reads(), &work.platform);
        let (shard, today) = (platform.shard, today(&work).await?);
        let mut listing = Listing::of(desk, BREAKS);
        let show = async |ids: Vec<BreakId>| {
            let keys: Vec<Key> = ids.iter().map(|id| Key::from(*id)).collect();
            let found = reads.aggregates().records(shard, &keys).await?;
            let known = ids.iter().filter_map(|id| Some((*id, found.line_break(*id)?)));
            known.into_iter().try_for_each(|(id, of)| listing.add(&breaks::render(id, of, today)))
        };
        pages(async |page| reads.lists().breaks(shard, platform.id, page).await, show).await?;
        listing.end()
    })
    .await
}

/// Prints the list of files that were cut.
pub(super) async fn files(desk: &OperatorOptions) -> Result<(), Error> {
    as_operator(desk, Right::Read, async |work| {
        let (reads, platform) = (work.engine.reads(), &work.platform);
        let custody = custody(&work).await?;
        let mut listing = Listing::of(desk, FILES);
        let show = async |ids: Vec<FileId>| {
            for id in ids {
                if let Some(row) = reads.lists().file(platform.shard, custody, id).await? {
                    listing.add(&file::render(platform.id, &row.cut, row.cut_at, ""))?;
                }
            }
            Ok(())
        };
        pages(async |page| reads.lists().files(platform.shard, custody, page).await, show).await?;
        listing.end()
    })
    .await
}

/// Prints one file in the form in which the bank gets it.
pub(super) async fn file(desk: &OperatorOptions, id: &str) -> Result<(), Error> {
    let id: FileId = id.parse().map_err(|_| Error::Usage("this is no id of a file".into()))?;
    as_operator(desk, Right::Read, async |work| {
        let custody = custody(&work).await?;
        let OperatorSession { engine, platform, .. } = &work;
        let file = engine.file(platform.shard, platform.id, custody, id).await?;
        Ok(io::stdout().write_all(file.text.as_bytes())?)
    })
    .await
}

/// Sets the number of the platform's account at the bank.
pub(super) async fn account(desk: &OperatorOptions, number: &str) -> Result<(), Error> {
    let number: AccountNumber =
        number.parse().map_err(|error: NotAccountNumber| Error::Usage(error.to_string()))?;
    as_operator(desk, Right::Act, async |OperatorSession { engine, operator, platform }| {
        let done = engine.set_bank_account(&platform, operator.id, number.clone()).await?;
        let record = json!({"account_num": number.as_str(), "changed": done.is_recorded()});
        let text = format!("The account of {} at the bank is {}.", platform.client_id, number.as_str());
        Ok(out::answer(desk.json, &record, &text)?)
    })
    .await
}

/// Imports a file of returns.
pub(super) async fn returns(desk: &OperatorOptions, path: &Path) -> Result<(), Error> {
    let text = read(path)?;
    as_operator(desk, Right::Act, async |OperatorSession { engine, operator, platform }| {
        let taken = engine.take_returns(&platform, operator.id, &text).await?;
        let mut listing = Listing::of(desk, RETURNS);
        taken.iter().try_for_each(|taken| listing.add(&returned::render(taken)))?;
        listing.end()?;
        let left = taken.iter().filter(|taken| taken.needs_person()).count();
        if left > 0 {
            crate::tell!("{left} of {} entries need a person: nothing was recorded for them", taken.len());
        }
        Ok(())
    })
    .await
}
