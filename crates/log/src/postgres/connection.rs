//! The writer's own connection: statements prepared at connect, and the pipelined round trips of the append protocol.
//!
//! A pipelined round trip sends several statements together and receives their answers together. The order on the wire
//! is the order in which `try_join!` first polls them: the order in which they are written here.
//!
//! COMMIT has a round trip of its own. It is one of three under the lock. In return the row counts are checked before
//! it, an error of an insert is never confused with one of COMMIT, and a connection that is lost before it means "not
//! appended" instead of "unknown".

use daybook_pg::types::TimestampMs;
use daybook_pg::{Pg, Warnings};
use daybook_proof::{Frontier, Hash};
use futures::try_join;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Statement};
use uuid::Uuid;

use super::backfill::{self, Proof};
use super::last_seen::LastSeenCommit;
use super::read::{self, Keys};
use super::rows::{self, EventColumns, KeyColumns, bigint};
use crate::key::{LIFETIME_MS, day_slot};
use crate::{Batch, Error, Head, Key, KeyUse, Locked, Position, Recorded, Shard, StreamKind};

/// Begins a database transaction in which each statement sees all earlier commits; the lock of the shard relies on it.
const BEGIN: &str = "begin isolation level read committed read write";

/// A connection that is used by one writer only.
pub(super) struct Connection {
    client: Client,
    warnings: Warnings,
    timeline: String,
    lock_shard: Statement,
    read_tree: Statement,
    read_keys: Statement,
    read_events: Statement,
    read_commit: Statement,
    append_events: Statement,
    append_keys: Statement,
    renew_keys: Statement,
    append_commit: Statement,
}

/// State that was read under the lock. It holds until the lock is released.
pub(super) struct LockedState {
    pub(super) head: Head,
    /// Hash tree of the head.
    pub(super) frontier: Frontier,
    /// Root of that tree.
    root: Hash,
    /// True if one of the requested idempotency keys may have to be renewed.
    pub(super) is_any_key_old: bool,
}

impl Connection {
    /// Connects to the server that holds `shard`.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] if it holds no such shard.
    pub(super) async fn open(pg: &Pg, shard: Shard) -> Result<Self, Error> {
        let (client, warnings) = pg.of(shard).dedicated_with_warnings().await?;
        let timeline = client.query_opt(include_str!("sql/read_timeline.sql"), &[&shard]).await?;
        let timeline = timeline.ok_or_else(|| absent(shard))?;
        let (lock_shard, read_tree, read_keys, read_events) = try_join!(
            client.prepare(include_str!("sql/lock_shard.sql")),
            client.prepare(include_str!("sql/read_tree.sql")),
            client.prepare(read::KEYS),
            client.prepare(read::EVENTS),
        )?;
        let (read_commit, append_events, append_keys, renew_keys, append_commit) = try_join!(
            client.prepare(include_str!("sql/read_commit.sql")),
            client.prepare(include_str!("sql/append_events.sql")),
            client.prepare(include_str!("sql/append_keys.sql")),
            client.prepare(include_str!("sql/renew_keys.sql")),
            client.prepare(include_str!("sql/append_commit.sql")),
        )?;
        Ok(Self {
            client,
            warnings,
            timeline: timeline.try_get("timeline")?,
            lock_shard,
            read_tree,
            read_keys,
            read_events,
            read_commit,
            append_events,
            append_keys,
            renew_keys,
            append_commit,
        })
    }

    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Timeline of the server at the other end.
    pub(super) fn timeline(&self) -> &str {
        &self.timeline
    }

    /// Begins a database transaction, locks the shard, and reads the state under the lock. Returns none if the head has
    /// no hash tree yet.
    ///
    /// # Errors
    ///
    /// [`Error::Replaced`] if the log lacks a commit that this process knows.
    pub(super) async fn lock(
        &self,
        shard: Shard,
        keys: &[Key],
        now_ms: i64,
        last_seen: &LastSeenCommit,
    ) -> Result<Option<(Locked, LockedState)>, Error> {
        let commit_no = last_seen.commit_no(shard);
        let ((), (), row, keys) = try_join!(
            self.execute(BEGIN),
            self.fence(shard),
            async { Ok(self.client.query_opt(&self.read_tree, &[&shard, &bigint(commit_no)]).await?) },
            self.used_keys(shard, keys, now_ms),
        )?;
        let known_root: Option<&[u8]> =
            row.as_ref().map(|row| row.try_get("known_root")).transpose()?.flatten();
        last_seen.compare(shard, commit_no, known_root)?;
        let (head, frontier) = rows::tree(row.as_ref())?;
        let Some(frontier) = frontier else { return Ok(None) };
        let root = frontier.head().root;
        if head.commit_no > 0 {
            last_seen.note(shard, head, root)?;
        }
        let protected = LockedState { head, frontier, root, is_any_key_old: keys.is_any_old };
        Ok(Some((Locked { head, used: keys.used }, protected)))
    }

    /// Reads the uses of `keys` under the lock.
    pub(super) async fn used_keys(&self, shard: Shard, keys: &[Key], now_ms: i64) -> Result<Keys, Error> {
        read::keys(&self.client, &self.read_keys, shard, keys, now_ms).await
    }

    /// Reads events after `after`, without the boxes of kinds `boxless`, under a lock that found `head`.
    pub(super) async fn read(
        &self,
        shard: Shard,
        after: Position,
        up_to: Position,
        head: Head,
        boxless: &[StreamKind],
    ) -> Result<Vec<Recorded>, Error> {
        let events = read::events(&self.client, &self.read_events, shard, after, up_to, boxless).await?;
        read::contiguous(events, after, up_to, head)
    }

    /// Writes all rows of the commit `next`. COMMIT is sent later.
    ///
    /// # Errors
    ///
    /// [`Error::Moved`] if the commit before it is not the one that was read under the lock.
    pub(super) async fn write(
        &self,
        shard: Shard,
        writer: Uuid,
        batch: &Batch,
        (protected, next): (&LockedState, Head),
        proof: &Proof,
    ) -> Result<(), Error> {
        let (events, keys, commits) = try_join!(
            self.write_events(shard, batch, protected.head, proof),
            self.write_keys(shard, &batch.keys, batch.recorded_at_ms, protected.is_any_key_old),
            self.write_commit((shard, writer), batch.id, (protected, next), proof),
        )?;
        if commits == 0 {
            return Err(Error::Moved);
        }
        let all = (batch.events.len() as u64, batch.keys.len() as u64, 1);
        if (events, keys, commits) != all {
            let what = format!(
                "{:?} rows of (events, keys, commits) were written, not {all:?}",
                (events, keys, commits)
            );
            return Err(Error::Refused(what.into()));
        }
        Ok(())
    }

    /// Sends COMMIT. Every error means that the outcome is unknown. So does a warning: a cancelled wait for the
    /// synchronous standby is answered with success and a warning.
    pub(super) async fn commit(&self) -> Result<(), Error> {
        let _ = self.warnings.take();
        let done = self.client.batch_execute("commit").await;
        done.map_err(|error| Error::from(daybook_pg::Error::at_commit(error)))?;
        match self.warnings.take() {
            Some(warning) => {
                tracing::error!(warning, "a commit that was answered may be lost with this server");
                Err(Error::Unknown(warning.into()))
            }
            None => Ok(()),
        }
    }

    pub(super) async fn rollback(&self) -> Result<(), Error> {
        self.execute("rollback").await
    }

    /// Locks the shard, reads the commit `commit_no`, and releases the lock.
    ///
    /// It ends with COMMIT: locking a row writes, so COMMIT waits until a synchronous standby has everything up to
    /// here. After a crash the server may show commits that the standby does not have yet.
    pub(super) async fn find(&self, shard: Shard, commit_no: u64) -> Result<Option<(Uuid, Head)>, Error> {
        let ((), (), found, ()) = try_join!(
            self.execute(BEGIN),
            self.fence(shard),
            async { Ok(self.client.query_opt(&self.read_commit, &[&shard, &bigint(commit_no)]).await?) },
            self.commit(),
        )?;
        found.map(|row| Ok((row.try_get("batch")?, rows::head(Some(&row))?))).transpose()
    }

    async fn execute(&self, sql: &str) -> Result<(), Error> {
        Ok(self.client.batch_execute(sql).await?)
    }

    async fn fence(&self, shard: Shard) -> Result<(), Error> {
        match self.client.query_opt(&self.lock_shard, &[&shard]).await? {
            Some(_) => Ok(()),
            None => Err(absent(shard)),
        }
    }

    async fn write_events(
        &self,
        shard: Shard,
        batch: &Batch,
        head: Head,
        proof: &Proof,
    ) -> Result<u64, Error> {
        let columns = EventColumns::new(&batch.events, &proof.boxes)?;
        let (after, at) = (bigint(head.position), TimestampMs(batch.recorded_at_ms));
        let mut parameters: Vec<&(dyn ToSql + Sync)> = vec![&shard, &after, &at];
        parameters.extend(columns.parameters());
        self.client.execute(&self.append_events, &parameters).await.map_err(taken)
    }

    pub(super) async fn write_keys(
        &self,
        shard: Shard,
        keys: &[KeyUse],
        at_ms: i64,
        is_any_old: bool,
    ) -> Result<u64, Error> {
        if keys.is_empty() {
            return Ok(0);
        }
        let columns = KeyColumns::new(keys);
        let (slot, at, until) = (day_slot(at_ms), TimestampMs(at_ms), TimestampMs(at_ms - LIFETIME_MS));
        let [key, fingerprint, object] = columns.parameters();
        let mut row: Vec<&(dyn ToSql + Sync)> = vec![&shard, &slot, &at, key, fingerprint, object];
        // Looking up each key makes a row half as expensive again.
        let statement = if is_any_old { &self.renew_keys } else { &self.append_keys };
        if is_any_old {
            row.push(&until);
        }
        self.client.execute(statement, &row).await.map_err(|error| match taken(error) {
            Error::Conflict => Error::Refused("a key was used before".into()),
            other => other,
        })
    }

    async fn write_commit(
        &self,
        (shard, writer): (Shard, Uuid),
        batch: Uuid,
        (protected, next): (&LockedState, Head),
        proof: &Proof,
    ) -> Result<u64, Error> {
        let (commit_no, position) = (bigint(next.commit_no), bigint(next.position));
        let at = TimestampMs(next.recorded_at_ms);
        let (root, frontier) = (proof.root.head.root.as_slice(), backfill::to_bytes(proof.growth.frontier()));
        let signature = proof.signature.as_ref().map(|signature| signature.to_bytes().to_vec());
        let before = protected.root.as_slice();
        let row: [&(dyn ToSql + Sync); 10] =
            [&shard, &commit_no, &batch, &writer, &position, &at, &root, &signature, &frontier, &before];
        self.client.execute(&self.append_commit, &row).await.map_err(taken)
    }
}

fn absent(shard: Shard) -> Error {
    Error::Refused(format!("shard {shard} does not exist").into())
}

/// Converts an error of an insert: a unique violation means that another writer appended first.
fn taken(error: tokio_postgres::Error) -> Error {
    match error.code() {
        Some(code) if *code == SqlState::UNIQUE_VIOLATION => Error::Conflict,
        _ => error.into(),
    }
}
