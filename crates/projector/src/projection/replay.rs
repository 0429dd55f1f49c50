//! Replay: a range of the log, decoded, in order. While one page is folded, other tasks read and decode the next pages,
//! each on a connection of its own. No database snapshot lives longer than a page.

use std::sync::Arc;

use daybook_domain::Kind;
use daybook_log::{KindFilter, Log, PAGE, Position, Shard};
use futures::stream::{self, Stream, StreamExt};

use crate::error::Error;
use crate::projection::tail::EVENTS_PER_YIELD;
use crate::store::Model;
use crate::store::recorded_event::RecordedEvent;

/// Returns the events at positions `after + 1 ..= up_to`, which must exist, in pages. Up to `ahead` pages, but at least
/// one, are read at a time.
///
/// # Errors
///
/// Errors are items of the stream; items after an error must not be used. [`Error::Log`] if an event is missing or the
/// log fails, [`Error::Undecodable`].
pub fn replay(
    log: Arc<dyn Log>,
    shard: Shard,
    after: Position,
    up_to: Position,
    ahead: usize,
) -> impl Stream<Item = Result<Vec<RecordedEvent>, Error>> {
    pages(log, shard, None, after, up_to, ahead)
}

/// Returns the same pages; with `only`, without the events that this read model does not need. These are not read.
pub(crate) fn pages(
    log: Arc<dyn Log>,
    shard: Shard,
    only: Option<Model>,
    after: Position,
    up_to: Position,
    ahead: usize,
) -> impl Stream<Item = Result<Vec<RecordedEvent>, Error>> {
    let begins = std::iter::successors(Some(after), |begin| begin.checked_add(u64::from(PAGE)));
    let pages = stream::iter(begins.take_while(move |begin| *begin < up_to));
    pages
        .map(move |begin| {
            let end = begin.saturating_add(u64::from(PAGE)).min(up_to);
            let page = tokio::spawn(page(Arc::clone(&log), shard, only, begin, end));
            async { page.await.map_err(|error| daybook_log::Error::Unavailable(error.into()))? }
        })
        .buffered(ahead.max(1))
}

async fn page(
    log: Arc<dyn Log>,
    shard: Shard,
    only: Option<Model>,
    after: Position,
    up_to: Position,
) -> Result<Vec<RecordedEvent>, Error> {
    // Every position is checked to exist, even if its event is left out.
    let recorded = log.read_filtered(shard, after, up_to, &left_out(only)).await?;
    let mut events = Vec::with_capacity(recorded.len());
    for slice in recorded.chunks(EVENTS_PER_YIELD) {
        for one in slice {
            events.push(RecordedEvent::decode(one)?);
        }
        tokio::task::yield_now().await;
    }
    Ok(events)
}

/// Returns the filter for the events that the read model `only` does not need. Events of unknown kinds are not left
/// out.
fn left_out(only: Option<Model>) -> KindFilter {
    let Some(model) = only else { return KindFilter::default() };
    let later = model.definition().kinds_of_first.iter().map(|kind| kind.code()).collect();
    KindFilter { kinds: Kind::codes_except(model.definition().kinds), later }
}
