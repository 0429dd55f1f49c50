//! The append side in PostgreSQL: one connection of its own, in a known state or thrown away.
//!
//! Every call takes the connection out and puts it back only when it knows what state it is in. An error, a time that
//! ran out, or a caller that stopped waiting therefore drop it: the server rolls back, unless it was committing. It is
//! never told to cancel, for a cancelled COMMIT can answer "done" where it is not.

use std::mem;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use uuid::Uuid;

use super::PostgresLog;
use super::backfill::{self, Proof};
use super::connection::{Connection, LockedState};
use super::keys::{self, UsedKeys};
use crate::{Appender, Batch, Error, Head, Key, Locked, Position, Recorded, Shard, SignedRoot};

/// How long one flight may take; longer than the server's own limit for a statement, which does not cover the network
/// nor a COMMIT that waits for a standby.
const APPEND_TIMEOUT: Duration = Duration::from_secs(6);

/// The append side of one shard.
pub(super) struct PostgresAppender {
    log: PostgresLog,
    shard: Shard,
    writer: Uuid,
    held: HeldConnection,
    used_keys: UsedKeys,
    /// The history of the server that the newest connection is to; none before the first.
    timeline: Option<String>,
    /// Whether the server was replaced since the lock was held last.
    has_moved: bool,
    /// True if the last append found another commit in front of it than the one that was read under the lock.
    was_severed: bool,
    /// Of the newest commit that was tried.
    signed: Option<Arc<SignedRoot>>,
}

/// What is known of the connection.
#[derive(Default)]
enum HeldConnection {
    /// There is none, or its state is not known.
    #[default]
    Nothing,
    /// No database transaction is open.
    Idle(Connection),
    /// The lock is held.
    Locked(Connection, LockedState),
}

impl PostgresAppender {
    pub(super) async fn open(log: PostgresLog, shard: Shard, writer: Uuid) -> Result<Self, Error> {
        let connection = Connection::open(&log.pg, shard).await?;
        let timeline = Some(connection.timeline().to_owned());
        Ok(Self {
            log,
            shard,
            writer,
            held: HeldConnection::Idle(connection),
            used_keys: UsedKeys::default(),
            timeline,
            has_moved: false,
            was_severed: false,
            signed: None,
        })
    }

    /// A connection without an open database transaction; a lock that was never given back is given up.
    async fn take_idle(&mut self) -> Result<Connection, Error> {
        match mem::take(&mut self.held) {
            HeldConnection::Idle(connection) if !connection.is_closed() => Ok(connection),
            HeldConnection::Nothing | HeldConnection::Idle(_) | HeldConnection::Locked(..) => {
                self.connect().await
            }
        }
    }

    /// A new connection, to a server that has what is known here.
    async fn connect(&mut self) -> Result<Connection, Error> {
        let opened = in_time(Connection::open(&self.log.pg, self.shard)).await;
        self.log.last_seen.check()?;
        let connection = opened?;
        let before = self.timeline.replace(connection.timeline().to_owned());
        self.has_moved |= before.is_some_and(|before| before != connection.timeline());
        Ok(connection)
    }

    /// The error of an append. A server that lacks the commit before is asked once more on a new connection, which compares
    /// it with the log that is known; if the commit was read and is missing again, reads and writes go to different logs.
    fn severed(&mut self, error: Error, head: Head) -> Error {
        let is_severed = matches!(error, Error::Moved);
        if mem::replace(&mut self.was_severed, is_severed) && is_severed {
            let what =
                format!("commit {} was read, and is not where the next one is written", head.commit_no);
            return Error::Corrupt { position: head.position, what };
        }
        error
    }

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
            if mem::take(&mut self.has_moved) {
                self.held = HeldConnection::Idle(connection);
                return Err(Error::Moved);
            }
            let (last_seen, may_be_used) = (&self.log.last_seen, self.used_keys.may_be_used(keys));
            let lock = connection.lock(self.shard, &may_be_used, now_ms, last_seen);
            if let Some((mut locked, mut protected)) = in_time(lock).await? {
                let reading = keys::read(self.log.pg.clone(), self.shard);
                if !self.used_keys.stand(locked.head, reading) && may_be_used.len() < keys.len() {
                    let found = in_time(connection.used_keys(self.shard, keys, now_ms)).await?;
                    (locked.used, protected.is_any_key_old) = (found.used, found.is_any_old);
                }
                self.held = HeldConnection::Locked(connection, protected);
                return Ok(locked);
            }
            // The history of a version without proofs, or one that was copied: not to be waited for under the lock.
            in_time(connection.rollback()).await?;
            self.held = HeldConnection::Idle(connection);
            backfill::backfill_roots(&self.log.pg, self.shard, self.log.signer.as_deref()).await?;
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
        let (place, signer) = ((self.shard, self.writer), self.log.signer.as_deref());
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

/// Bounds what happens before COMMIT, where giving up means that nothing was appended.
async fn in_time<T>(work: impl Future<Output = Result<T, Error>> + Send) -> Result<T, Error> {
    match tokio::time::timeout(APPEND_TIMEOUT, work).await {
        Ok(done) => done,
        Err(elapsed) => Err(Error::Unavailable(Box::new(elapsed))),
    }
}
