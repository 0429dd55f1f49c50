//! Trees of last entries: a Merkle tree over the accounts of a platform at a position, with the newest entry of each.
//! The trees are derived from the events, so any process may grow them, independently of the writer.

mod grow;
mod parts;

use daybook_pg::{Pg, Role, Transaction};
use daybook_proof::last::{self, LastEntries, LastEntry, LastTree};
use daybook_proof::{Error as NotProved, Hash};
use tokio_postgres::Row;
use uuid::Uuid;

use super::PostgresLog;
use super::rows::{bigint, number};
use crate::{Error, Position, Shard};

/// A tree of last entries, with the roots of its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Platform of the accounts.
    pub platform: Uuid,
    /// Position and head of the tree, as an attestation states them.
    pub last: LastTree,
    /// Position of the attestation that commits to the tree, if there is one.
    pub attested: Option<Position>,
    roots: Vec<Hash>,
}

/// Newest entry of an account in a tree, with its inclusion proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedEntry {
    /// Account, position and leaf hash.
    pub entry: LastEntry,
    /// Index of the entry in the tree.
    pub index: u64,
    /// Sibling hashes on the path from the entry to the root.
    pub path: Vec<Hash>,
}

impl PostgresLog {
    /// Returns connections that may write the trees. The trees are derived from the log, as read models are.
    fn growing(&self) -> Pg {
        self.pg.acting_as(Role::Projector)
    }

    /// Returns the newest tree of each platform to which no event commits yet.
    ///
    /// # Errors
    ///
    /// [`Error`] if the database cannot be read.
    pub async fn unattested(&self, shard: Shard) -> Result<Vec<Tree>, Error> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("../sql/last/read_unattested.sql")).await?;
        let rows = client.query(&statement, &[&shard]).await?;
        rows.iter().map(|row| tree(row, row.try_get("platform")?, None)).collect()
    }

    /// Returns every stored tree.
    ///
    /// # Errors
    ///
    /// [`Error`] if the database cannot be read.
    pub async fn raw_trees(&self, shard: Shard) -> Result<Vec<Tree>, Error> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("../sql/last/read_trees.sql")).await?;
        let rows = client.query(&statement, &[&shard]).await?;
        rows.iter().map(|row| tree(row, row.try_get("platform")?, attested(row)?)).collect()
    }

    /// Records that the event at `position` commits to `tree`.
    ///
    /// # Errors
    ///
    /// [`Error`] if the database cannot be written.
    pub async fn attested_by(&self, shard: Shard, tree: &Tree, position: Position) -> Result<(), Error> {
        let client = self.growing().of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("../sql/last/attest.sql")).await?;
        let at = bigint(tree.last.position);
        client.execute(&statement, &[&shard, &tree.platform, &at, &bigint(position)]).await?;
        Ok(())
    }

    /// Deletes all trees, so that they are grown again from the first event.
    ///
    /// # Errors
    ///
    /// [`Error`] if the database cannot be written.
    pub async fn forget_last_trees(&self, shard: Shard) -> Result<(), Error> {
        let forget = async |tx: &Transaction<'_>| {
            for sql in [
                include_str!("../sql/last/forget_cursor.sql"),
                include_str!("../sql/last/forget_trees.sql"),
                include_str!("../sql/last/forget_parts.sql"),
            ] {
                tx.execute(&tx.prepare_cached(sql).await?, &[&shard]).await?;
            }
            Ok(())
        };
        self.growing().of(shard).tx("log.forget_last_trees", forget).await
    }

    /// Returns true if the stored parts of `tree` are exactly its parts: none is missing, and there is no other.
    ///
    /// # Errors
    ///
    /// [`Error`] if the database cannot be read.
    pub async fn is_whole(&self, shard: Shard, tree: &Tree) -> Result<bool, Error> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("../sql/last/read_parts.sql")).await?;
        let (mut after, mut roots, mut accounts) = (None::<Uuid>, vec![], 0);
        loop {
            let at = bigint(tree.last.position);
            let page = client.query(&statement, &[&shard, &tree.platform, &at, &after, &64_i64]).await?;
            let Some(last) = page.last() else { break };
            after = Some(last.try_get("first")?);
            for row in &page {
                let entries = parts::decode(row.try_get("entries")?);
                let is_first = entries.first().map(|entry| entry.account)
                    == Some(*row.try_get::<_, Uuid>("first")?.as_bytes());
                let is_next = row.try_get::<_, i64>("part")? == bigint(roots.len() as u64);
                accounts += entries.len() as u64;
                let Some(part) = LastEntries::new(entries).ok().filter(|_| is_first && is_next) else {
                    return Ok(false);
                };
                roots.push(part.head().root);
            }
        }
        Ok((accounts, roots) == (tree.last.head.size, tree.roots.clone()))
    }

    /// Returns the newest tree of a platform to which an event commits.
    ///
    /// # Errors
    ///
    /// [`Error`] if the database cannot be read.
    pub async fn last_attested(&self, shard: Shard, platform: Uuid) -> Result<Option<Tree>, Error> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("../sql/last/read_attested.sql")).await?;
        let row = client.query_opt(&statement, &[&shard, &platform]).await?;
        row.map(|row| tree(&row, platform, attested(&row)?)).transpose()
    }

    /// Returns the newest entry of an account in `tree`; `None` if the account has no entry there, or if the tree was
    /// dropped for a newer one meanwhile.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if the part of the tree is not in order; [`Error`] if the database cannot be read.
    pub async fn place(
        &self,
        shard: Shard,
        tree: &Tree,
        account: Uuid,
    ) -> Result<Option<PlacedEntry>, Error> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("../sql/last/find_part.sql")).await?;
        let at = bigint(tree.last.position);
        let row = client.query_opt(&statement, &[&shard, &tree.platform, &at, &account]).await?;
        let Some(row) = row else { return Ok(None) };
        let entries = parts::decode(row.try_get("entries")?);
        let part = LastEntries::new(entries).map_err(|error| broken(tree, &error))?;
        let found = part.prove_in(number(&row, "part")?, &tree.roots, account.as_bytes());
        Ok(found.map(|(entry, index, path)| PlacedEntry { entry, index, path }))
    }
}

fn tree(row: &Row, platform: Uuid, attested: Option<Position>) -> Result<Tree, Error> {
    let (position, accounts) = (number(row, "position")?, number(row, "accounts")?);
    let roots = row.try_get::<_, &[u8]>("roots")?.as_chunks().0.to_vec();
    let last = LastTree { position, head: last::join(accounts, &roots) };
    Ok(Tree { platform, last, attested, roots })
}

fn attested(row: &Row) -> Result<Option<Position>, Error> {
    let attested: Option<i64> = row.try_get("attested")?;
    Ok(attested.and_then(|position| u64::try_from(position).ok()))
}

fn broken(tree: &Tree, error: &NotProved) -> Error {
    let what = format!("the tree of last entries of platform {}: {error}", tree.platform);
    Error::Corrupt { position: tree.last.position, what }
}
