//! The append side in PostgreSQL: one connection of its own, in a known state or thrown away.
//!
//! Every call takes the connection out and puts it back only when it knows what state it is in. An error, a time that
//! ran out, or a caller that stopped waiting therefore drop it: the server rolls back, unless it was committing. It is
//! never told to cancel, for a cancelled COMMIT can answer "done" where it is not.

use std::mem;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use daybook_pg::Pg;
use uuid::Uuid;

use super::connection::Connection;
use crate::heads::Heads;
use crate::{Appender, Batch, Error, Head, Key, Locked, Position, Recorded, Shard, StreamKind};

/// How long one flight may take; longer than the server's own limit for a statement, which does not cover the network
/// nor a COMMIT that waits for a standby.
const DEADLINE: Duration = Duration::from_secs(6);

/// The append side of one shard.
pub(super) struct PostgresAppender {
    pg: Pg,
    heads: Arc<Heads>,
    boxless: Arc<[StreamKind]>,
    shard: Shard,
    writer: Uuid,
    held: Held,
}

/// What is known of the connection.
#[derive(Default)]
enum Held {
    /// There is none, or its state is not known.
    #[default]
    Nothing,
    /// No database transaction is open.
    Idle(Connection),
    /// The lock is held, and this is the head that it protects.
    Locked(Connection, Head),
}

impl PostgresAppender {
    pub(super) async fn open(
        pg: Pg,
        heads: Arc<Heads>,
        boxless: Arc<[StreamKind]>,
        shard: Shard,
        writer: Uuid,
    ) -> Result<Self, Error> {
        let connection = Connection::open(&pg).await?;
        Ok(Self { pg, heads, boxless, shard, writer, held: Held::Idle(connection) })
    }

    /// A connection without an open database transaction; a lock that was never given back is given up.
    async fn take_idle(&mut self) -> Result<Connection, Error> {
        match mem::take(&mut self.held) {
            Held::Idle(connection) if !connection.is_closed() => Ok(connection),
            Held::Nothing | Held::Idle(_) | Held::Locked(..) => in_time(Connection::open(&self.pg)).await,
        }
    }

    fn take_locked(&mut self) -> Result<(Connection, Head), Error> {
        match mem::take(&mut self.held) {
            Held::Locked(connection, head) => Ok((connection, head)),
            Held::Nothing | Held::Idle(_) => Err(Error::not_locked()),
        }
    }
}

#[async_trait]
impl Appender for PostgresAppender {
    async fn lock(&mut self, keys: &[Key], now_ms: i64) -> Result<Locked, Error> {
        let connection = self.take_idle().await?;
        let locked = in_time(connection.lock(self.shard, keys, now_ms)).await?;
        self.held = Held::Locked(connection, locked.head);
        Ok(locked)
    }

    async fn read(&mut self, after: Position, up_to: Position) -> Result<Vec<Recorded>, Error> {
        let (connection, head) = self.take_locked()?;
        let events = in_time(connection.read(self.shard, after, up_to, head, &self.boxless)).await?;
        self.held = Held::Locked(connection, head);
        Ok(events)
    }

    async fn append(&mut self, batch: Batch) -> Result<Head, Error> {
        let (connection, head) = self.take_locked()?;
        let next = batch.follow(head)?;
        in_time(connection.write(self.shard, self.writer, &batch, head, next)).await?;
        match tokio::time::timeout(DEADLINE, connection.commit()).await {
            Ok(committed) => committed?,
            Err(elapsed) => return Err(Error::Unknown(Box::new(elapsed))),
        }
        self.held = Held::Idle(connection);
        self.heads.tell(self.shard, next.position);
        Ok(next)
    }

    async fn release(&mut self) -> Result<(), Error> {
        let (connection, _) = self.take_locked()?;
        in_time(connection.rollback()).await?;
        self.held = Held::Idle(connection);
        Ok(())
    }

    async fn resolve(&mut self, commit_no: u64, batch: Uuid) -> Result<Option<Head>, Error> {
        let connection = self.take_idle().await?;
        let found = in_time(connection.find(self.shard, commit_no)).await?;
        self.held = Held::Idle(connection);
        let ours = found.filter(|(id, _)| *id == batch).map(|(_, head)| head);
        if let Some(head) = ours {
            self.heads.tell(self.shard, head.position);
        }
        Ok(ours)
    }
}

/// Bounds what happens before COMMIT, where giving up means that nothing was appended.
async fn in_time<T>(work: impl Future<Output = Result<T, Error>> + Send) -> Result<T, Error> {
    match tokio::time::timeout(DEADLINE, work).await {
        Ok(done) => done,
        Err(elapsed) => Err(Error::Unavailable(Box::new(elapsed))),
    }
}
