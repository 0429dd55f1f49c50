//! Growth of the trees of last entries: new entries are merged into the tree of their platform.

use std::collections::BTreeMap;

use daybook_pg::Transaction;
use daybook_pg::types::TimestampMs;
use daybook_proof::last::LastEntry;
use uuid::Uuid;

use super::parts::{PartWriter, decode};
use crate::postgres::PostgresLog;
use crate::postgres::rows::{bigint, number};
use crate::{Error, Log, Position, Shard, StreamKind};

/// Approximate number of events that one database transaction covers.
const EVENTS_PER_TRANSACTION: u64 = 100_000;

/// Number of parts that one statement reads or writes.
const PARTS_PER_STATEMENT: usize = 64;

/// Newest entry of each account with new entries, by platform.
type Changes = BTreeMap<Uuid, BTreeMap<Uuid, LastEntry>>;

impl PostgresLog {
    /// Grows the trees up to the newest commit. Entries are the events of streams of `kind`.
    ///
    /// Does nothing if another process is growing them, or has grown them up to a commit recorded after `before_ms`.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if an event is missing; [`Error`] if the database cannot be read or written.
    pub async fn grow_last_trees(&self, shard: Shard, kind: StreamKind, before_ms: i64) -> Result<(), Error> {
        let head = self.head(shard).await?.position;
        let pg = self.growing();
        let client = pg.of(shard).client().await?;
        let begin = client.prepare_cached(include_str!("../sql/last/begin.sql")).await?;
        client.execute(&begin, &[&shard]).await?;
        drop(client);
        let work = async |tx: &Transaction<'_>| self.grow(tx, (shard, kind), head, before_ms).await;
        while pg.of(shard).tx("log.grow_last_trees", work).await? {}
        Ok(())
    }

    /// Executes the next step. Returns true if another one follows.
    async fn grow(
        &self,
        tx: &Transaction<'_>,
        (shard, kind): (Shard, StreamKind),
        head: Position,
        before_ms: i64,
    ) -> Result<bool, Error> {
        let lock = tx.prepare_cached(include_str!("../sql/last/lock.sql")).await?;
        let Some(row) = tx.query_opt(&lock, &[&shard, &TimestampMs(before_ms)]).await? else {
            return Ok(false);
        };
        let after = number(&row, "position")?;
        let last = after.saturating_add(EVENTS_PER_TRANSACTION).min(head);
        if last <= after {
            return Ok(false);
        }
        let commit = self.raw_commit_of(shard, last).await?;
        let missing = || Error::Corrupt { position: last, what: "it is in no commit".to_owned() };
        let commit = commit.ok_or_else(missing)?;
        for (platform, changes) in self.changes(tx, shard, kind, (after, commit.last_position)).await? {
            merge(tx, shard, platform, changes, (after, commit.last_position)).await?;
        }
        let advance = tx.prepare_cached(include_str!("../sql/last/advance.sql")).await?;
        let (position, commit_no) = (bigint(commit.last_position), bigint(commit.commit_no));
        let at = TimestampMs(commit.recorded_at_us / 1_000);
        tx.execute(&advance, &[&shard, &position, &commit_no, &at]).await?;
        Ok(commit.last_position < head)
    }

    /// Returns the newest entry of each account at the positions `after + 1 ..= up_to`.
    async fn changes(
        &self,
        tx: &Transaction<'_>,
        shard: Shard,
        kind: StreamKind,
        (after, up_to): (Position, Position),
    ) -> Result<Changes, Error> {
        let statement = tx.prepare_cached(include_str!("../sql/last/read_entries.sql")).await?;
        let rows = tx.query(&statement, &[&shard, &bigint(after), &bigint(up_to), &kind]).await?;
        let mut changes = Changes::new();
        if rows.is_empty() {
            return Ok(changes);
        }
        let hashes = self.leaf_hashes(shard, after, up_to).await?;
        for row in rows {
            let (position, account): (_, Uuid) = (number(&row, "position")?, row.try_get("stream")?);
            let place = usize::try_from(position - after - 1).unwrap_or(usize::MAX);
            let corrupt = || Error::Corrupt { position, what: "it has no leaf".to_owned() };
            let leaf_hash = *hashes.get(place).ok_or_else(corrupt)?;
            let entry = LastEntry { account: account.into_bytes(), position, leaf_hash };
            changes.entry(row.try_get("platform")?).or_default().insert(account, entry);
        }
        Ok(changes)
    }
}

/// Stores the next tree of a platform: the tree before, merged with the changes.
async fn merge(
    tx: &Transaction<'_>,
    shard: Shard,
    platform: Uuid,
    changes: BTreeMap<Uuid, LastEntry>,
    (grown, position): (Position, Position),
) -> Result<(), Error> {
    let position = bigint(position);
    let newest = tx.prepare_cached(include_str!("../sql/last/read_newest.sql")).await?;
    let read = tx.prepare_cached(include_str!("../sql/last/read_parts.sql")).await?;
    let (newest, accounts) = match tx.query_opt(&newest, &[&shard, &platform]).await? {
        Some(row) => (row.try_get("position")?, number(&row, "accounts")?),
        None => (0_i64, 0),
    };
    let attested = tx.prepare_cached(include_str!("../sql/last/find_attested.sql")).await?;
    if newest == 0 && tx.query_opt(&attested, &[&shard, &bigint(grown), &platform]).await?.is_some() {
        let what = format!("the tree of last entries of platform {platform} is missing");
        return Err(Error::Corrupt { position: grown, what });
    }
    let mut changes = changes.into_values().peekable();
    let (mut growing, mut after, mut old) = (PartWriter::default(), None::<Uuid>, 0);
    loop {
        let page = tx
            .query(&read, &[&shard, &platform, &newest, &after, &bigint(PARTS_PER_STATEMENT as u64)])
            .await?;
        let Some(last) = page.last() else { break };
        after = Some(last.try_get("first")?);
        for row in &page {
            for entry in decode(row.try_get("entries")?) {
                old += 1;
                while let Some(new) = changes.next_if(|new| new.account < entry.account) {
                    growing.push(new)?;
                }
                let newer = changes.next_if(|new| new.account == entry.account);
                growing.push(newer.unwrap_or(entry))?;
            }
        }
        save(tx, shard, platform, position, &mut growing).await?;
    }
    if old != accounts {
        let what =
            format!("the tree of last entries of platform {platform} has {old} of {accounts} accounts");
        return Err(Error::Corrupt { position: newest.unsigned_abs(), what });
    }
    for new in changes {
        growing.push(new)?;
    }
    let (accounts, roots) = growing.finish()?;
    save(tx, shard, platform, position, &mut growing).await?;
    let tree = tx.prepare_cached(include_str!("../sql/last/save_tree.sql")).await?;
    tx.execute(&tree, &[&shard, &platform, &position, &bigint(accounts), &roots.concat()]).await?;
    for sql in [include_str!("../sql/last/drop_trees.sql"), include_str!("../sql/last/drop_parts.sql")] {
        tx.execute(&tx.prepare_cached(sql).await?, &[&shard, &platform, &position]).await?;
    }
    Ok(())
}

/// Stores the parts that are full.
async fn save(
    tx: &Transaction<'_>,
    shard: Shard,
    platform: Uuid,
    position: i64,
    growing: &mut PartWriter,
) -> Result<(), Error> {
    let ready = std::mem::take(&mut growing.ready);
    let statement = tx.prepare_cached(include_str!("../sql/last/save_parts.sql")).await?;
    tx.execute(&statement, &[&shard, &platform, &position, &ready.firsts, &ready.numbers, &ready.entries])
        .await?;
    Ok(())
}
