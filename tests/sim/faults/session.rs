//! A writer's connection, and the server's side of it: the server executes everything that it was sent, even if the
//! writer has ended, and ends an idle session that holds the lock.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use daybook_log::memory::MemoryLog;
use daybook_log::testing::LogCaches;
use daybook_log::{Appender, Batch, Error, Head, Key, Locked, Log, Position, Recorded, Shard};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use super::chance::{Chance, Fault};
use super::log::away;

/// Timeout of one answer.
const SESSION_TIMEOUT: Duration = Duration::from_secs(6);
/// Time after which the server ends an idle session that holds the lock.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10);

/// Server's side of a session that holds the lock; none after the server has ended it.
type Held = Arc<Mutex<Option<Box<dyn Appender>>>>;

/// Append side of the log as one process sees it.
pub(super) struct Session {
    truth: Arc<MemoryLog>,
    chance: Chance,
    remembered: Arc<LogCaches>,
    shard: Shard,
    writer: Uuid,
    held: Option<(Held, Head, AbortHandle)>,
}

/// Outcome of an append.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// The append is answered, and committed unless the log refuses it.
    Answered,
    /// The answer is lost; the append is committed or not, at once or later.
    Lost { is_committed: bool, is_late: bool },
    /// The append fails before COMMIT is sent.
    Before,
    /// The log reports that another writer has appended.
    Conflict,
}

impl Session {
    pub(super) fn new(
        truth: Arc<MemoryLog>,
        chance: Chance,
        remembered: Arc<LogCaches>,
        (shard, writer): (Shard, Uuid),
    ) -> Self {
        Self { truth, chance, remembered, shard, writer, held: None }
    }

    /// Opens a new connection.
    async fn connect(&self) -> Result<Box<dyn Appender>, Error> {
        self.chance.linger().await;
        if self.chance.strikes(Fault::Away) {
            return Err(away());
        }
        self.truth.appender(self.shard, self.writer).await
    }

    /// Lets the server wait for the next request.
    fn hold(&mut self, server: Box<dyn Appender>, head: Head) {
        let held = Arc::new(Mutex::new(Some(server)));
        let (watched, chance) = (held.clone(), self.chance.clone());
        let watchdog = tokio::spawn(async move {
            sleep(IDLE_TIMEOUT).await;
            if end(&watched).is_some() {
                chance.met("a lock was lost in a sleep");
            }
        });
        self.held = Some((held, head, watchdog.abort_handle()));
    }

    /// Returns the server's side for the next request, unless the server has ended the session.
    fn speak(&mut self) -> Result<(Box<dyn Appender>, Head), Error> {
        let (held, head, watchdog) = self.held.take().ok_or_else(away)?;
        watchdog.abort();
        end(&held).map(|server| (server, head)).ok_or_else(away)
    }

    fn end_of_append(&self) -> End {
        let lost = |is_committed, is_late| End::Lost { is_committed, is_late };
        let ends = [
            (Fault::Before, End::Before),
            (Fault::Conflict, End::Conflict),
            (Fault::UnknownDone, lost(true, false)),
            (Fault::UnknownNot, lost(false, false)),
            (Fault::UnknownLate, lost(true, true)),
            (Fault::UnknownNever, lost(false, true)),
        ];
        let first = ends.into_iter().find(|(fault, _)| self.chance.strikes(*fault));
        first.map_or(End::Answered, |(_, end)| end)
    }

    /// Releases the lock when the server notices that the client has gone.
    fn abandon(&self, server: Box<dyn Appender>) {
        let late = if self.chance.strikes(Fault::Ghost) { self.chance.up_to(5_000) } else { Duration::ZERO };
        tokio::spawn(async move {
            sleep(late).await;
            drop(server);
        });
    }
}

/// Returns the server's side, if the session has not ended.
fn end(held: &Held) -> Option<Box<dyn Appender>> {
    held.lock().unwrap_or_else(PoisonError::into_inner).take()
}

fn unknown() -> Error {
    Error::Unknown("a fault of the simulation".into())
}

#[async_trait]
impl Appender for Session {
    async fn lock(&mut self, keys: &[Key], now_ms: i64) -> Result<Locked, Error> {
        if let Ok((server, _)) = self.speak() {
            drop(server);
        }
        let mut server = self.connect().await?;
        let locked = timeout(SESSION_TIMEOUT, server.lock(keys, now_ms)).await.map_err(|_| away())??;
        if self.chance.strikes(Fault::LockLost) {
            self.abandon(server);
            return Err(away());
        }
        self.hold(server, locked.head);
        Ok(locked)
    }

    async fn read(&mut self, after: Position, up_to: Position) -> Result<Vec<Recorded>, Error> {
        let (mut server, head) = self.speak()?;
        if self.chance.strikes(Fault::Away) {
            self.abandon(server);
            return Err(away());
        }
        let events = server.read(after, up_to).await?;
        self.hold(server, head);
        self.chance.linger().await;
        Ok(events)
    }

    async fn append(&mut self, batch: Batch) -> Result<Head, Error> {
        let (mut server, before) = self.speak()?;
        let (is_committed, is_late, answer) = match self.end_of_append() {
            End::Answered => (true, false, None),
            End::Lost { is_committed, is_late } => (is_committed, is_late, Some(unknown())),
            End::Before => {
                self.abandon(server);
                return Err(away());
            }
            End::Conflict => return Err(Error::Conflict),
        };
        let on_the_way = self.chance.up_to(if is_late { 4_000 } else { 3 });
        let chance = self.chance.clone();
        let work = tokio::spawn(async move {
            sleep(on_the_way).await;
            let done = if is_committed { server.append(batch).await } else { Err(away()) };
            drop(server);
            chance.linger().await;
            done
        });
        if is_late {
            return Err(unknown());
        }
        let done = timeout(SESSION_TIMEOUT, work).await;
        if let Some(answer) = answer {
            return Err(answer);
        }
        let Ok(Ok(done)) = done else { return Err(unknown()) };
        let head = done?;
        let events = self.truth.read(self.shard, before.position, head.position).await?;
        self.remembered.keep(self.shard, before.position, events);
        Ok(head)
    }

    async fn release(&mut self) -> Result<(), Error> {
        let (server, _) = self.speak()?;
        if self.chance.strikes(Fault::Away) {
            self.abandon(server);
            return Err(away());
        }
        drop(server);
        Ok(())
    }

    async fn resolve(&mut self, commit_no: u64, batch: Uuid) -> Result<Option<Head>, Error> {
        if self.chance.strikes(Fault::Unresolved) {
            return Err(away());
        }
        let mut server = self.connect().await?;
        let found =
            timeout(SESSION_TIMEOUT, server.resolve(commit_no, batch)).await.map_err(|_| away())??;
        self.chance.met(match found {
            Some(_) => "a lost answer was resolved: committed",
            None => "a lost answer was resolved: not committed",
        });
        if let Some(head) = found {
            self.remembered.observe(self.shard, head.position);
        }
        Ok(found)
    }
}

/// The process has ended: the server notices it, or ends the idle session later.
impl Drop for Session {
    fn drop(&mut self) {
        if let Some((held, _, watchdog)) = self.held.take()
            && !self.chance.strikes(Fault::Ghost)
        {
            watchdog.abort();
            drop(end(&held));
        }
    }
}
