//! Ranges of the log that a background task reads and decodes, in several pages at a time.

use std::sync::Arc;

use daybook_log::{Log, Position, Shard};
use futures::TryStreamExt;
use tokio::task::JoinHandle;

use crate::error::Error;
use crate::projection::replay::pages;
use crate::store::Model;
use crate::store::recorded_event::RecordedEvent;

/// Number of pages that are read at a time.
const MAX_CONCURRENT_PAGES: usize = 3;

/// Events of a range of positions that a read model needs.
pub(super) struct Range {
    /// The events of its kinds, page by page. They are not copied into one list, because nothing needs that.
    pages: Vec<Vec<RecordedEvent>>,
    /// Last position of the range, which is the end of a commit.
    pub(super) end: Position,
}

impl Range {
    /// Returns the events in order.
    pub(super) fn events(&self) -> impl Iterator<Item = &RecordedEvent> + Clone {
        self.pages.iter().flatten()
    }
}

/// A range that is being read.
pub(super) struct RangeRead {
    /// The position before the range.
    pub(super) after: Position,
    task: JoinHandle<Result<Range, Error>>,
}

impl RangeRead {
    /// Starts to read after the position `after`: about `limit` positions, whole commits only, and nothing after
    /// `goal`, which is the end of a commit.
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
            // A commit that is larger than a page is read as a whole.
            while end <= after && end < goal {
                wanted = wanted.saturating_add(limit);
                end = if wanted < goal { log.boundary(shard, wanted).await?.position } else { goal };
            }
            let pages = pages(log, shard, Some(model), after, end, MAX_CONCURRENT_PAGES).try_collect();
            Ok(Range { pages: pages.await?, end })
        };
        Self { after, task: tokio::spawn(read) }
    }

    /// Waits for the result.
    pub(super) async fn range(self) -> Result<Range, Error> {
        self.task.await.map_err(|error| daybook_log::Error::Unavailable(error.into()))?
    }
}
