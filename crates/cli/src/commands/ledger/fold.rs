//! Reads the log event by event up to a moment. The result does not depend on any table that is derived from the log.

use std::collections::BTreeMap;

use daybook_api::wire::moment;
use daybook_api::wire::ops::positions::Positions;
use daybook_domain::calendar::Day;
use daybook_log::{Log, Shard};
use daybook_projector::{Moment, RecordedEvent};

use super::ReportScope;
use crate::error::Error;

/// Calls `look` with every event of `asked`, one shard after the other, each in the order of its log. One page is in memory
/// at a time. Returns the positions up to which the logs were read.
pub(super) async fn fold(
    log: &dyn Log,
    asked: &ReportScope,
    mut look: impl FnMut(&RecordedEvent) -> Result<(), Error>,
) -> Result<Positions, Error> {
    let mut positions = BTreeMap::new();
    for shard in &asked.shards {
        positions.insert(*shard, fold_shard(log, *shard, asked, &mut look).await?);
    }
    Ok(positions.into())
}

async fn fold_shard(
    log: &dyn Log,
    shard: Shard,
    asked: &ReportScope,
    look: &mut impl FnMut(&RecordedEvent) -> Result<(), Error>,
) -> Result<u64, Error> {
    let head = log.head(shard).await?.position;
    let (end, last_day) = match asked.at {
        Moment::Now => (head, None),
        Moment::Position(position) if position > head => {
            return Err(Error::Usage(moment::beyond().to_string()));
        }
        Moment::Position(position) => (position, None),
        Moment::Recorded(at) => (log.position_at(shard, at.ms()).await?, None),
        Moment::EffectiveDay(day) => (head, Some(day)),
    };
    let mut position = 0;
    while position < end {
        let page = log.read(shard, position, end).await?;
        let Some(last) = page.last() else { break };
        position = last.position;
        for recorded in &page {
            let happened = RecordedEvent::decode(recorded)?;
            let is_theirs = asked.platform.is_none_or(|platform| platform == happened.platform);
            let day = Day::of(happened.effective_at).number();
            if is_theirs && last_day.is_none_or(|last| day <= last) {
                look(&happened)?;
            }
        }
    }
    Ok(end)
}
