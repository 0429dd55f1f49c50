//! Checks of the books at a position: debits and credits, both sides of the custody identity (safeguarding
//! reconciliation), and postings against the entries of the accounts.
//!
//! Postings and entries are different events of one commit, so they are compared at the end of a commit.

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::PlatformId;
use daybook_log::{AsOf, Position, Shard};
use futures::TryStreamExt;
use serde_json::json;
use tokio_postgres::Row;
use uuid::Uuid;

use super::Comparisons;
use super::{Compared, Difference};
use crate::error::Error;
use crate::models::ledger::{Sums, custody};
use crate::projection::replay::replay;
use crate::store::recorded_event::RecordedEvent;
use crate::store::sql;
use crate::store::version::{self, Version};

/// Number of accounts that one statement reads.
const ACCOUNTS_PER_QUERY: i64 = 5_000;
/// Number of pages of the log that are read ahead.
const PAGES_READ_AHEAD: usize = 3;

/// Platform and currency.
type Book = (Uuid, String);

impl Comparisons {
    /// Checks the books at the end of the last commit up to `at`. `scratch` contains scratch versions of entries,
    /// balances and nodes that are folded at least up to there.
    ///
    /// # Errors
    ///
    /// [`Error`] if the log or the tables cannot be read.
    pub async fn check_books(
        &self,
        shard: Shard,
        scratch: &[Version],
        at: Position,
    ) -> Result<Compared, Error> {
        let end = self.store.log.boundary(shard, at).await?.position;
        let nodes = self.node_sums(shard, scratch, end).await?;
        let mut sums = Sums::default();
        let mut pages = std::pin::pin!(replay(self.store.log.clone(), shard, 0, end, PAGES_READ_AHEAD));
        while let Some(page) = pages.try_next().await? {
            for happened in &page {
                sums.add(happened.platform, &happened.event);
            }
        }
        let rows = sums.rows();
        let what = ["debits = credits", "assets = liabilities", "nodes = the last entries of their accounts"];
        let columns = what.map(str::to_owned).to_vec();
        let mut found = Compared { table: "ledger", columns, slices: (1, 0), ..Compared::default() };
        let mut owed: BTreeMap<Book, i128> = BTreeMap::new();
        for ((platform, currency), row) in custody(&rows) {
            let book = (id(platform), currency.code().to_owned());
            let own = rows.iter().filter(|row| row.platform == platform && row.currency == currency);
            let (debits, credits) = own.fold((0, 0), |(d, c), row| (d + row.debits, c + row.credits));
            compare(&mut found, &book, "credits and debits", credits, debits);
            compare(&mut found, &book, "liabilities and assets", 0, row.difference());
            owed.insert(book, row.nodes);
        }
        let books: BTreeSet<&Book> = owed.keys().chain(nodes.keys()).collect();
        for book in books {
            let [entries, postings] = [&nodes, &owed].map(|sums| sums.get(book).copied().unwrap_or_default());
            compare(&mut found, book, "owed by entries and by postings", entries, postings);
        }
        found.slices.1 = u64::from(found.differing > 0);
        Ok(found)
    }

    /// Returns the balance that the nodes of each platform have by their entries up to `end`, in minor units.
    async fn node_sums(
        &self,
        shard: Shard,
        scratch: &[Version],
        end: Position,
    ) -> Result<BTreeMap<Book, i128>, Error> {
        let db = self.store.pg.of(shard).client().await?;
        let text = version::about(scratch, include_str!("node_sums.sql"));
        let statement = db.prepare_cached(&text).await?;
        let mut sums: BTreeMap<Book, i128> = BTreeMap::new();
        let mut after = Uuid::nil();
        loop {
            let rows =
                db.query(&statement, &[&shard, &after, &sql::to_i64(end), &ACCOUNTS_PER_QUERY]).await?;
            let Some(last) = rows.last() else { return Ok(sums) };
            after = last.try_get(0)?;
            let as_of = |row: &Row| -> Result<AsOf, Error> {
                Ok(AsOf { stream: row.try_get(0)?, after: sql::to_u32(row.try_get(3)?), position: end })
            };
            let accounts = rows.iter().map(as_of).collect::<Result<Vec<_>, _>>()?;
            for (row, last) in rows.iter().zip(self.balances.entries_as_of(shard, &accounts).await?) {
                let Some(entry) = last.as_ref().and_then(RecordedEvent::entry) else { continue };
                *sums.entry((row.try_get(1)?, row.try_get(2)?)).or_default() += i128::from(entry.posted);
            }
        }
    }
}

fn id(platform: PlatformId) -> Uuid {
    Uuid::from(platform)
}

fn compare(found: &mut Compared, (platform, currency): &Book, what: &str, old: i128, new: i128) {
    found.rows = (found.rows.0 + 1, found.rows.1 + 1);
    if old == new {
        return;
    }
    found.differing += 1;
    let side = |minor: i128| {
        let shown = json!({
            "platform": platform.to_string(), "currency": currency, "what": what, "minor": minor.to_string(),
        });
        Some(shown.to_string())
    };
    found.differences.push(Difference { old: side(old), new: side(new) });
}
