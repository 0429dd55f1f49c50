//! Ranges of the log, read and decoded beside whatever else is done: pages at bounded positions, several at a time.

use std::sync::Arc;

use daybook_domain::Kind;
use daybook_log::{Log, PAGE, Position, Shard};
use futures::{StreamExt, TryStreamExt, stream};
use tokio::task::JoinHandle;

use crate::decode::Happened;
use crate::error::Error;
use crate::read::Model;

/// How many pages are asked for at a time.
const AT_A_TIME: usize = 3;

/// Events of a range of positions that a read model is made of.
pub(super) struct Range {
    /// Those of its kinds.
    pub(super) events: Vec<Happened>,
    /// The range's last position, which closes a commit.
    pub(super) end: Position,
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
        Self { after, task: tokio::spawn(async move { read(log, shard, model, after, goal, limit).await }) }
    }

    /// Waits for it.
    pub(super) async fn range(self) -> Result<Range, Error> {
        match self.task.await {
            Ok(range) => range,
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
    }
}

async fn read(
    log: Arc<dyn Log>,
    shard: Shard,
    model: Model,
    after: Position,
    goal: Position,
    limit: u64,
) -> Result<Range, Error> {
    let (mut wanted, mut end) = (after, after);
    // A commit that is larger than a page comes in one piece.
    while end <= after && end < goal {
        wanted = wanted.saturating_add(limit);
        end = if wanted < goal { log.boundary(shard, wanted).await?.position } else { goal };
    }
    let starts = (after..end).step_by(PAGE as usize);
    let pages = starts.map(|start| page(Arc::clone(&log), shard, model, start, end));
    let pages: Vec<Vec<Happened>> = stream::iter(pages).buffered(AT_A_TIME).try_collect().await?;
    Ok(Range { events: pages.concat(), end })
}

/// Reads and decodes one page on a thread of its own.
async fn page(
    log: Arc<dyn Log>,
    shard: Shard,
    model: Model,
    after: Position,
    end: Position,
) -> Result<Vec<Happened>, Error> {
    let task = tokio::spawn(async move {
        let recorded = log.read(shard, after, end).await?;
        let (first, last) = (recorded.first(), recorded.last().map_or(0, |last| last.position));
        if last != end.min(after.saturating_add(PAGE.into())) {
            return Err(Error::Gap { expected: after + 1, found: first.map_or(0, |first| first.position) });
        }
        let is_wanted = |code: i16| Kind::from_code(code).is_none_or(|kind| model.kinds().contains(&kind));
        let wanted = recorded.iter().filter(|one| is_wanted(one.event.stream_kind));
        wanted.map(Happened::decode).collect()
    });
    task.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}
