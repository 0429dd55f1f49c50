//! Matches of lines in suspense, as the events of their breaks state them.

use daybook_domain::breaks::{Event as BreakEvent, Matched};
use daybook_domain::operation::Act;
use daybook_domain::{BreakId, Event, Key};
use daybook_log::Shard;

use super::OpsError;
use crate::access::PlatformRecord;
use crate::engine::Engine;

impl Engine {
    /// Completes the act to take back a match by the items of the match. Other acts are complete.
    pub(super) async fn resolved(&self, platform: &PlatformRecord, act: Act) -> Result<Act, OpsError> {
        let Act::Unmatch { id, number, .. } = act else { return Ok(act) };
        let matches = self.matches(platform.shard, id).await?;
        let matched = matches.into_iter().find(|matched| matched.number == number).map(Box::new);
        Ok(Act::Unmatch { id, number, matched })
    }

    /// Returns the matches of a line that hold, in their order.
    ///
    /// # Errors
    ///
    /// Fails if the log is unavailable.
    pub async fn matches(&self, shard: Shard, id: BreakId) -> Result<Vec<Matched>, OpsError> {
        let key = Key::from(id);
        let timelines = self.reads().aggregates().timelines(shard, &[key]).await?;
        let mut matches: Vec<Matched> = vec![];
        for happened in timelines.get(&key).into_iter().flat_map(|events| events.iter()) {
            match &happened.event {
                Event::Break(BreakEvent::Matched(matched)) => matches.push(matched.clone()),
                Event::Break(BreakEvent::Unmatched(ended)) => matches.retain(|it| it.number != ended.number),
                _ => {}
            }
        }
        Ok(matches)
    }
}
