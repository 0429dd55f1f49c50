//! What this process knows to be in the log: the newest commit of each shard with its root, which stands for every event
//! before it.
//!
//! After a fail-over the server is another one. If that lacks what is known here, commits were lost that this process
//! saw, and nothing that it remembers can be believed any more: states, windows, keys. It says so once and for ever, and
//! whoever runs it ends it; the next process knows nothing, and begins with what is there.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use daybook_pg::Fence;
use daybook_proof::Hash;
use tokio::sync::watch;
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use super::rows::bigint;
use crate::{Error, Head, Position, Shard};

const ROOT: &str = include_str!("sql/read_root.sql");

/// The newest commit of each shard that this process has seen.
#[derive(Debug, Default)]
pub(super) struct Known {
    commits: Mutex<HashMap<Shard, Commit>>,
    /// The last position of a commit that was there and is not any more.
    lost: watch::Sender<Option<Position>>,
}

/// A commit that was there.
#[derive(Clone, Copy, Debug)]
struct Commit {
    head: Head,
    root: Hash,
}

impl Known {
    /// The number of the newest commit that is known; 0 if none is.
    pub(super) fn commit_no(&self, shard: Shard) -> u64 {
        self.commits().get(&shard).map_or(0, |known| known.head.commit_no)
    }

    /// Takes note of a commit that is there.
    ///
    /// # Errors
    ///
    /// [`Error::Replaced`] if it stands where another one was.
    pub(super) fn note(&self, shard: Shard, head: Head, root: Hash) -> Result<(), Error> {
        let mut commits = self.commits();
        match commits.get(&shard) {
            Some(known) if known.head.commit_no > head.commit_no => Ok(()),
            Some(known) if known.head.commit_no == head.commit_no && known.root != root => {
                Err(self.lose(known.head))
            }
            _ => {
                commits.insert(shard, Commit { head, root });
                Ok(())
            }
        }
    }

    /// Compares with what is there: `found` is the root of the commit `commit_no`, if there is one with a root.
    ///
    /// # Errors
    ///
    /// [`Error::Replaced`] if it is not the one that is known.
    pub(super) fn compare(&self, shard: Shard, commit_no: u64, found: Option<&[u8]>) -> Result<(), Error> {
        match self.commits().get(&shard) {
            // What was learnt since the question was asked is not in the answer.
            Some(known) if known.head.commit_no == commit_no && found != Some(known.root.as_slice()) => {
                Err(self.lose(known.head))
            }
            _ => Ok(()),
        }
    }

    /// Whether something that was there is gone.
    ///
    /// # Errors
    ///
    /// [`Error::Replaced`] if it is.
    pub(super) fn check(&self) -> Result<(), Error> {
        match *self.lost.borrow() {
            Some(position) => Err(Error::Replaced { position }),
            None => Ok(()),
        }
    }

    /// Waits until something is found to be gone; answers the last position of the commit that was.
    pub(super) async fn lost(&self) -> Position {
        let mut lost = self.lost.subscribe();
        let found = lost.wait_for(Option::is_some).await.map(|position| *position);
        match found {
            Ok(Some(position)) => position,
            // The sender lives as long as this.
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

    fn commits(&self) -> MutexGuard<'_, HashMap<Shard, Commit>> {
        // A panic elsewhere cannot leave an entry half written.
        self.commits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Fence for Known {
    async fn admits(&self, client: &Client) -> Result<bool, tokio_postgres::Error> {
        let known: Vec<_> =
            self.commits().iter().map(|(shard, known)| (*shard, known.head.commit_no)).collect();
        for (shard, commit_no) in known {
            let row = match client.query_opt(ROOT, &[&shard, &bigint(commit_no)]).await {
                Ok(row) => row,
                // Whoever may not read the log learns nothing of it, and does nothing that follows from it.
                Err(error) if error.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE) => return Ok(true),
                Err(error) => return Err(error),
            };
            let root: Option<Vec<u8>> = row.map(|row| row.try_get("root")).transpose()?.flatten();
            if self.compare(shard, commit_no, root.as_deref()).is_err() {
                return Ok(false);
            }
        }
        Ok(self.check().is_ok())
    }
}
