//! The tail of a log: decoded events up to the end of a commit. A cursor is always at the end of a commit.

use daybook_log::{Head, Log, Position, Recorded, Shard};

use crate::error::Error;
use crate::store::recorded_event::RecordedEvent;

/// Number of events that are decoded before other tasks of this thread run: about a millisecond.
pub(crate) const EVENTS_PER_YIELD: usize = 256;

/// Events without a gap, and the commit of the last one.
pub(crate) struct Decoded {
    pub(crate) events: Vec<RecordedEvent>,
    pub(crate) end: Head,
}

/// Returns a page of events after `after`, at most up to `head`, and only whole commits before an event that cannot be
/// decoded.
///
/// # Errors
///
/// [`Error::Undecodable`] if such an event is in the next commit; [`Error::Gap`] if the log has a gap.
pub(crate) async fn read(log: &dyn Log, shard: Shard, after: Position, head: Head) -> Result<Decoded, Error> {
    let (recorded, end) = commits(log, shard, after, head).await?;
    let mut events = Vec::with_capacity(recorded.len());
    for slice in recorded.chunks(EVENTS_PER_YIELD) {
        for one in slice.iter().take_while(|one| one.position <= end.position) {
            match RecordedEvent::decode(one) {
                Ok(happened) => events.push(happened),
                Err(error) => {
                    // The commits before it can be projected. The next page begins with its commit and fails.
                    let end = log.boundary(shard, one.position - 1).await?;
                    events.retain(|happened| happened.position <= end.position);
                    return if end.position > after { Ok(Decoded { events, end }) } else { Err(error) };
                }
            }
        }
        tokio::task::yield_now().await;
    }
    Ok(Decoded { events, end })
}

/// Returns a page of the log, or more if a commit is larger than a page, and the last commit that ends in it.
async fn commits(
    log: &dyn Log,
    shard: Shard,
    after: Position,
    head: Head,
) -> Result<(Vec<Recorded>, Head), Error> {
    let mut recorded: Vec<Recorded> = vec![];
    loop {
        let from = recorded.last().map_or(after, |last| last.position);
        let page = log.read(shard, from, head.position).await?;
        let found = page.first().map_or(0, |first| first.position);
        let last = page.last().map_or(0, |last| last.position);
        if found != from + 1 || last != from + page.len() as u64 {
            return Err(Error::Gap { expected: from + 1, found });
        }
        recorded.extend(page);
        let end = if last == head.position { head } else { log.boundary(shard, last).await? };
        if end.position > after {
            return Ok((recorded, end));
        }
    }
}
