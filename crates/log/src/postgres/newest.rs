//! Verification of the end of the log, before this process signs on top of it.

use daybook_pg::types::TimestampUs;
use daybook_proof::{Checkpoint, Frontier, Hash, Key, Signature, TreeHead};

use super::PostgresLog;
use super::backfill::Leaves;
use crate::raw::RawCommit;
use crate::{Error, Position, Shard};

impl PostgresLog {
    /// Verifies the commit of the event at `position`, and the newest checkpoint. A new signature vouches for both.
    ///
    /// The commit must have the root of its events on top of the tree before it, and a signature by one of `keys`. The
    /// checkpoint must be one of this log. A commit from before the log had a key needs no signature.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] with the reason; other errors if the log cannot be read.
    pub async fn check_end(&self, shard: Shard, keys: &[Key], position: Position) -> Result<(), Error> {
        self.check_commit(shard, keys, position).await?;
        let Some(made) = self.last_checkpoint(shard).await? else { return Ok(()) };
        let corrupt = |what: &str| {
            let what =
                format!("the checkpoint of {} events: {what}; nothing is signed on top of it", made.size);
            Error::Corrupt { position: made.size, what }
        };
        let checkpoint =
            Checkpoint::open(made.note.as_bytes(), keys).map_err(|error| corrupt(&error.to_string()))?;
        let commit = self.raw_commit_of(shard, made.size).await?;
        let found = match made.size {
            0 => Some(daybook_proof::tree::empty_root()),
            size => commit.filter(|commit| commit.last_position == size).as_ref().and_then(root),
        };
        if found.is_none_or(|root| checkpoint.head != TreeHead { size: made.size, root }) {
            return Err(corrupt("it was signed for other events than the log has up to here"));
        }
        Ok(())
    }

    /// Verifies the commit of the event at `position`, if there is one, as [`PostgresLog::check_end`] does.
    pub(super) async fn check_commit(
        &self,
        shard: Shard,
        keys: &[Key],
        position: Position,
    ) -> Result<(), Error> {
        let Some(commit) = self.raw_commit_of(shard, position).await? else { return Ok(()) };
        let before = match commit.commit_no.checked_sub(2) {
            Some(number) => self.commits(shard, number, 1).await?.pop(),
            None => None,
        };
        let corrupt = |what: String| {
            let what = format!("commit {}: {what}; nothing is signed on top of it", commit.commit_no);
            Error::Corrupt { position: commit.last_position, what }
        };
        let signature = commit.signature.as_deref().and_then(Signature::from_bytes);
        let found = root(&commit);
        if found.is_none() || commit.signature.is_none() {
            let first = self.first_key_at(shard).await?;
            let is_older = first.is_none_or(|first_us| commit.recorded_at_us <= first_us);
            // Signed commits are newer, and the times of commits never decrease.
            let is_behind = before.as_ref().is_some_and(|it| it.recorded_at_us > commit.recorded_at_us);
            if !is_older || is_behind {
                return Err(corrupt("it is not signed".to_owned()));
            }
        }
        let Some(found) = found else { return Ok(()) };
        let tree =
            if commit.commit_no == 1 { Some(Frontier::default()) } else { before.as_ref().and_then(tree) };
        if let Some(mut tree) = tree {
            let mut leaves = Leaves::new(self, shard);
            while tree.size() < commit.last_position {
                tree.push(leaves.next(tree.size()).await?);
            }
            if tree.head().root != found {
                return Err(corrupt("its root is not that of its events".to_owned()));
            }
        }
        if commit.signature.is_none() {
            return Ok(());
        }
        let signature = signature.ok_or_else(|| corrupt("its signature is malformed".to_owned()))?;
        let signed = commit.root("", shard, TreeHead { size: commit.last_position, root: found });
        signed.signed_by(&signature, keys).map(|_| ()).map_err(|error| corrupt(error.to_string()))
    }

    /// Returns the time since which the log has a signing key, in microseconds since the Unix epoch; `None` if it has
    /// none.
    async fn first_key_at(&self, shard: Shard) -> Result<Option<i64>, Error> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/read_first_key_at.sql")).await?;
        let since: Option<TimestampUs> = client.query_one(&statement, &[&shard]).await?.try_get("since")?;
        Ok(since.map(|since| since.0))
    }
}

fn root(commit: &RawCommit) -> Option<Hash> {
    commit.root.as_deref()?.try_into().ok()
}

/// Returns the tree after a commit, from its frontier; `None` if the frontier does not fit the size of the tree.
fn tree(commit: &RawCommit) -> Option<Frontier> {
    let hashes = commit.frontier.as_ref()?.as_chunks().0.to_vec();
    Frontier::restore(commit.last_position, hashes).ok()
}
