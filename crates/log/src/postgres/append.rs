//! The appender in PostgreSQL: lock, append and release on a connection that only this appender uses.
//!
//! The state of that connection is always known. Every method takes the connection out of the appender and puts it back
//! only after the server has answered. An error, a timeout, or a caller that drops the future therefore closes the
//! connection, and the server rolls back, unless it was already committing. The server is never asked to cancel a
//! statement: if the wait of a COMMIT for a standby is canceled, PostgreSQL answers that the transaction is committed,
//! although the standby may lack it.

use std::mem;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use uuid::Uuid;

use super::PostgresLog;
use super::backfill::{self, Proof};
use super::connection::{Connection, LockedState};
use super::keys::{self, UsedKeys};
use crate::{Appender, Batch, Error, Head, Key, Locked, Position, Recorded, Shard, Sign, SignedRoot};

/// Timeout of one flight (statements that are sent together and answered together). It is longer than the server's own
/// limit for a statement, which covers neither the network nor a COMMIT that waits for a standby.
const APPEND_TIMEOUT: Duration = Duration::from_secs(6);

/// Appender of one shard.
pub(super) struct PostgresAppender {
    log: PostgresLog,
    shard: Shard,
    /// Id of the writer, stored with each of its commits.
    writer: Uuid,
    /// Signer of the shard's commits; none if they are not signed.
    signer: Option<Arc<dyn Sign>>,
    held: HeldConnection,
    /// Filter that tells which idempotency keys are certainly unused and need no lookup.
    used_keys: UsedKeys,
    /// PostgreSQL timeline of the server at the newest connection; a failover or a restored backup begins another one.
    timeline: Option<String>,
    /// True if a connection since the last lock found another timeline: another server has taken over.
    has_moved: bool,
    /// True if the last append was refused because the previous commit was not the one that was read under the lock.
    was_severed: bool,
    /// Signed root of the newest commit that was attempted.
    signed: Option<Arc<SignedRoot>>,
}

/// State of the connection.
#[derive(Default)]
enum HeldConnection {
    /// No connection; a connection in an unknown state was closed.
    #[default]
    Nothing,
    /// Open connection without a database transaction.
    Idle(Connection),
    /// Open database transaction that holds the shard's lock, with the state that the lock protects.
    Locked(Connection, LockedState),
}

impl PostgresAppender {
    /// Connects an appender of `shard` for the writer with the id `writer`.
    pub(super) async fn open(log: PostgresLog, shard: Shard, writer: Uuid) -> Result<Self, Error> {
        let signer = log.signer(shard)?;
        let connection = Connection::open(&log.pg, shard).await?;
        let timeline = Some(connection.timeline().to_owned());
        Ok(Self {
            log,
            shard,
            writer,
            signer,
            held: HeldConnection::Idle(connection),
            used_keys: UsedKeys::default(),
            timeline,
            has_moved: false,
            was_severed: false,
            signed: None,
        })
    }

    /// Returns a connection without an open database transaction. A connection that still holds the lock is closed,
    /// which releases the lock.
    async fn take_idle(&mut self) -> Result<Connection, Error> {
        match mem::take(&mut self.held) {
            HeldConnection::Idle(connection) if !connection.is_closed() => Ok(connection),
            HeldConnection::Nothing | HeldConnection::Idle(_) | HeldConnection::Locked(..) => {
                self.connect().await
            }
        }
    }

    /// Returns a new connection. Notes if it leads to a server with another timeline.
    ///
    /// # Errors
    ///
    /// [`Error::Replaced`] if the server lacks a commit that this process has seen.
    async fn connect(&mut self) -> Result<Connection, Error> {
        let opened = in_time(Connection::open(&self.log.pg, self.shard)).await;
        self.log.last_seen.check()?;
        let connection = opened?;
        let before = self.timeline.replace(connection.timeline().to_owned());
        self.has_moved |= before.is_some_and(|before| before != connection.timeline());
        Ok(connection)
    }

    /// Returns the error of a refused append. [`Error::Moved`] means that the previous commit, which was read under the
    /// lock, is missing where the next one is written. The caller then retries on a new connection, which compares the
    /// server's log with the newest commit that this process has seen. If the retry reads the commit and misses it
    /// again, reads and writes go to different logs: [`Error::Corrupt`].
    fn severed(&mut self, error: Error, head: Head) -> Error {
        let is_severed = matches!(error, Error::Moved);
        if mem::replace(&mut self.was_severed, is_severed) && is_severed {
            let what =
                format!("commit {} was read, and is not where the next one is written", head.commit_no);
            return Error::Corrupt { position: head.position, what };
        }
        error
    }

    /// Returns the connection that holds the lock, and the state that the lock protects.
    fn take_locked(&mut self) -> Result<(Connection, LockedState), Error> {
        match mem::take(&mut self.held) {
            HeldConnection::Locked(connection, protected) => Ok((connection, protected)),
            HeldConnection::Nothing | HeldConnection::Idle(_) => Err(Error::not_locked()),
        }
    }
}

#[async_trait]
impl Appender for PostgresAppender {
    async fn lock(&mut self, keys: &[Key], now_ms: i64) -> Result<Locked, Error> {
        loop {
            let connection = self.take_idle().await?;
            // The new server may lack events of other processes that the writer has read. The writer forgets its cache.
            if mem::take(&mut self.has_moved) {
                self.held = HeldConnection::Idle(connection);
                return Err(Error::Moved);
            }
            let (last_seen, may_be_used) = (&self.log.last_seen, self.used_keys.may_be_used(keys));
            // The keys that may be used are looked up in the flight that takes the lock.
            let lock = connection.lock(self.shard, &may_be_used, now_ms, last_seen);
            if let Some((mut locked, mut protected)) = in_time(lock).await? {
                // The filter holds for one head only. If another process appended, all keys are looked up.
                let reading = keys::read(self.log.pg.clone(), self.shard);
                if !self.used_keys.stand(locked.head, reading) && may_be_used.len() < keys.len() {
                    let found = in_time(connection.used_keys(self.shard, keys, now_ms)).await?;
                    (locked.used, protected.is_any_key_old) = (found.used, found.is_any_old);
                }
                self.held = HeldConnection::Locked(connection, protected);
                return Ok(locked);
            }
            // The newest commit has no tree: an older version of Daybook wrote it, or it was copied. Computing the
            // trees takes long, so the lock is released first.
            in_time(connection.rollback()).await?;
            self.held = HeldConnection::Idle(connection);
            backfill::backfill_roots(&self.log.pg, self.shard, self.signer.as_deref()).await?;
        }
    }

    async fn read(&mut self, after: Position, up_to: Position) -> Result<Vec<Recorded>, Error> {
        let (connection, protected) = self.take_locked()?;
        let read = connection.read(self.shard, after, up_to, protected.head, &self.log.boxless);
        let events = in_time(read).await?;
        self.held = HeldConnection::Locked(connection, protected);
        Ok(events)
    }

    async fn append(&mut self, batch: Batch) -> Result<Head, Error> {
        let (connection, protected) = self.take_locked()?;
        let head = protected.head;
        let next = batch.follow(head)?;
        let (place, signer) = ((self.shard, self.writer), self.signer.as_deref());
        let proof = in_time(Proof::of(place, &batch, (head, next), &protected.frontier, signer)).await?;
        let write = connection.write(self.shard, self.writer, &batch, (&protected, next), &proof);
        if let Err(error) = in_time(write).await {
            self.used_keys.forget();
            return Err(self.severed(error, head));
        }
        self.was_severed = false;
        let (leaves, root) = (proof.growth.leaves().to_vec(), proof.root.head.root);
        self.signed = proof.signed().map(Arc::new);
        daybook_fault::point("log.before_commit");
        match tokio::time::timeout(APPEND_TIMEOUT, connection.commit()).await {
            Ok(committed) => committed?,
            Err(elapsed) => return Err(Error::Unknown(Box::new(elapsed))),
        }
        daybook_fault::point("log.after_commit");
        self.held = HeldConnection::Idle(connection);
        self.used_keys.note(next.commit_no, &batch.keys, batch.recorded_at_ms);
        // Caches of this process: last seen commit, changed streams, newest events, head. Readers then need no query.
        self.log.last_seen.note(self.shard, next, root)?;
        self.log.recent_changes.note(self.shard, head.position, batch.events.iter());
        let events = batch.recorded_after(head);
        self.log.recent.keep(self.shard, head.position, events, &leaves, &self.log.boxless);
        self.log.heads.tell(self.shard, next.position);
        Ok(next)
    }

    async fn release(&mut self) -> Result<(), Error> {
        let (connection, _) = self.take_locked()?;
        in_time(connection.rollback()).await?;
        self.held = HeldConnection::Idle(connection);
        Ok(())
    }

    async fn resolve(&mut self, commit_no: u64, batch: Uuid) -> Result<Option<Head>, Error> {
        let connection = self.take_idle().await?;
        let found = in_time(connection.find(self.shard, commit_no)).await?;
        self.held = HeldConnection::Idle(connection);
        // Another writer may have made a commit with this number.
        let ours = found.filter(|(id, _)| *id == batch).map(|(_, head)| head);
        if let Some(head) = ours {
            self.log.heads.tell(self.shard, head.position);
        }
        Ok(ours)
    }

    fn signed(&self) -> Option<Arc<SignedRoot>> {
        self.signed.clone()
    }
}

/// Applies the timeout to work before COMMIT is sent. A timeout then means that nothing was appended.
async fn in_time<T>(work: impl Future<Output = Result<T, Error>> + Send) -> Result<T, Error> {
    match tokio::time::timeout(APPEND_TIMEOUT, work).await {
        Ok(done) => done,
        Err(elapsed) => Err(Error::Unavailable(Box::new(elapsed))),
    }
}
