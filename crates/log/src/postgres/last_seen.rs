//! Newest commit of each shard that this process has seen, with its root. The root stands for every event before it.
//!
//! After a fail-over the process is connected to another server. If that server lacks the known commit, commits were
//! lost that this process has seen, and nothing that it keeps in memory can be trusted: states, windows, keys. The
//! error is permanent for this process, and the process has to end. A new process knows nothing and begins with the log
//! as it is.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use daybook_pg::{Fence, Placement};
use daybook_proof::Hash;
use tokio::sync::watch;
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use super::rows::bigint;
use crate::{Error, Head, Position, Shard};

const ROOT: &str = include_str!("sql/read_root.sql");

/// Newest commit of each shard that this process has seen.
#[derive(Debug, Default)]
pub(super) struct LastSeenCommit {
    commits: Mutex<HashMap<Shard, SeenCommit>>,
    /// Last position of a seen commit that is missing in the database.
    lost: watch::Sender<Option<Position>>,
}

/// A commit that was seen in the database.
#[derive(Clone, Copy, Debug)]
struct SeenCommit {
    head: Head,
    root: Hash,
}

impl LastSeenCommit {
    /// Returns the number of the newest known commit; 0 if none is known.
    pub(super) fn commit_no(&self, shard: Shard) -> u64 {
        self.commits().get(&shard).map_or(0, |last_seen| last_seen.head.commit_no)
    }

    /// Returns the number and the root of the newest known commit; `None` if none is known.
    pub(super) fn newest(&self, shard: Shard) -> Option<(u64, Hash)> {
        self.commits().get(&shard).map(|last_seen| (last_seen.head.commit_no, last_seen.root))
    }

    /// Notes a commit that is in the database.
    ///
    /// # Errors
    ///
    /// [`Error::Replaced`] if another commit with this number is known.
    pub(super) fn note(&self, shard: Shard, head: Head, root: Hash) -> Result<(), Error> {
        let mut commits = self.commits();
        match commits.get(&shard) {
            Some(last_seen) if last_seen.head.commit_no > head.commit_no => Ok(()),
            Some(last_seen) if last_seen.head.commit_no == head.commit_no && last_seen.root != root => {
                Err(self.lose(last_seen.head))
            }
            _ => {
                commits.insert(shard, SeenCommit { head, root });
                Ok(())
            }
        }
    }

    /// Compares the known commit with the database. `found` is the root of the commit `commit_no`, if there is one with
    /// a root.
    ///
    /// # Errors
    ///
    /// [`Error::Replaced`] if the root is not the known one.
    pub(super) fn compare(&self, shard: Shard, commit_no: u64, found: Option<&[u8]>) -> Result<(), Error> {
        match self.commits().get(&shard) {
            // A commit that was noted after the query was sent is not in its result.
            Some(last_seen)
                if last_seen.head.commit_no == commit_no && found != Some(last_seen.root.as_slice()) =>
            {
                Err(self.lose(last_seen.head))
            }
            _ => Ok(()),
        }
    }

    /// Checks that no known commit was found to be missing.
    ///
    /// # Errors
    ///
    /// [`Error::Replaced`] if one is missing.
    pub(super) fn check(&self) -> Result<(), Error> {
        match *self.lost.borrow() {
            Some(position) => Err(Error::Replaced { position }),
            None => Ok(()),
        }
    }

    /// Waits until a known commit is found to be missing, and returns its last position.
    pub(super) async fn lost(&self) -> Position {
        let mut lost = self.lost.subscribe();
        let found = lost.wait_for(Option::is_some).await.map(|position| *position);
        match found {
            Ok(Some(position)) => position,
            // The sender lives as long as `self`.
            Ok(None) | Err(_) => std::future::pending().await,
        }
    }

    fn lose(&self, head: Head) -> Error {
        self.lost.send_if_modified(|lost| {
            let is_news = lost.is_none();
            lost.get_or_insert(head.position);
            is_news
        });
        Error::Replaced { position: head.position }
    }

    fn commits(&self) -> MutexGuard<'_, HashMap<Shard, SeenCommit>> {
        // A panic in another thread cannot leave an entry half written.
        self.commits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Fence of one server: it must have the commits that were seen of its shards.
pub(super) struct ServerFence {
    last_seen: Arc<LastSeenCommit>,
    placement: Placement,
}

impl ServerFence {
    pub(super) const fn new(last_seen: Arc<LastSeenCommit>, placement: Placement) -> Self {
        Self { last_seen, placement }
    }

    fn seen_here(&self) -> Vec<(Shard, u64)> {
        let commits = self.last_seen.commits();
        let here = commits.iter().filter(|(shard, _)| self.placement.has(**shard));
        here.map(|(shard, last_seen)| (*shard, last_seen.head.commit_no)).collect()
    }
}

#[async_trait]
impl Fence for ServerFence {
    async fn admits(&self, client: &Client) -> Result<bool, tokio_postgres::Error> {
        let last_seen = self.seen_here();
        for (shard, commit_no) in last_seen {
            let row = match client.query_opt(ROOT, &[&shard, &bigint(commit_no)]).await {
                Ok(row) => row,
                // A role that may not read the log learns nothing about it, and does nothing that depends on it.
                Err(error) if error.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE) => return Ok(true),
                Err(error) => return Err(error),
            };
            let root: Option<Vec<u8>> = row.map(|row| row.try_get("root")).transpose()?.flatten();
            if self.last_seen.compare(shard, commit_no, root.as_deref()).is_err() {
                return Ok(false);
            }
        }
        Ok(self.last_seen.check().is_ok())
    }
}
