//! Ranges of the log, read and decoded beside whatever else is done: pages at bounded positions, several at a time.

use std::sync::Arc;

use daybook_log::{Log, Position, Shard};
use futures::TryStreamExt;
use tokio::task::JoinHandle;

use crate::error::Error;
use crate::projection::replay::pages;
use crate::store::Model;
use crate::store::happened::Happened;

/// How many pages are asked for at a time.
const AT_A_TIME: usize = 3;

/// Events of a range of positions that a read model is made of.
pub(super) struct Range {
    /// Those of its kinds, page by page: nothing is gained by moving them together.
    pages: Vec<Vec<Happened>>,
    /// The range's last position, which closes a commit.
    pub(super) end: Position,
}

impl Range {
    /// Its events, in order.
    pub(super) fn events(&self) -> impl Iterator<Item = &Happened> + Clone {
        self.pages.iter().flatten()
    }
}

/// A range that is being read.
pub(super) struct Reading {
    /// The position before it.
    pub(super) after: Position,
    task: JoinHandle<Result<Range, Error>>,
}

impl Reading {
    /// Begins to read behind `after`: about `limit` positions, whole commits, and nothing behind `goal`, which closes
    /// one.
    pub(super) fn begin(
        log: Arc<dyn Log>,
        shard: Shard,
        model: Model,
        after: Position,
        goal: Position,
        limit: u64,
    ) -> Self {
        let read = async move {
            let (mut wanted, mut end) = (after, after);
            // A commit that is larger than a page comes in one piece.
            while end <= after && end < goal {
                wanted = wanted.saturating_add(limit);
                end = if wanted < goal { log.boundary(shard, wanted).await?.position } else { goal };
            }
            let pages = pages(log, shard, Some(model), after, end, AT_A_TIME).try_collect();
            Ok(Range { pages: pages.await?, end })
        };
        Self { after, task: tokio::spawn(read) }
    }

    /// Waits for it.
    pub(super) async fn range(self) -> Result<Range, Error> {
        self.task.await.map_err(|error| daybook_log::Error::Unavailable(error.into()))?
    }
}
