//! The months of a platform that are over, and the positions at which they end.

use daybook_domain::calendar::Month;
use daybook_domain::{Event, Key, PlatformId, platform};
use daybook_log::{Position, Shard};

use super::Statements;
use super::clock::Clock;
use super::zone::Zone;
use crate::error::Error;
use crate::store::recorded_event::RecordedEvent;

/// The months of a platform that are over by the events that were projected.
pub(super) struct ClosedMonths {
    clock: Clock,
    /// Time zone of the months.
    pub(super) zone: Zone,
    pub(super) last: Month,
    /// Position of the cursor.
    pub(super) position: Position,
    /// Head of the log, read before the position of the cursor.
    pub(super) head: Position,
}

impl ClosedMonths {
    /// Returns the month in which an entry was decided, independent of its effective time.
    pub(super) fn month_of(&self, entry: &RecordedEvent) -> Month {
        self.zone.month(self.clock.time_of(entry.position, entry.recorded_at))
    }
}

impl Statements {
    /// Waits up to 250 ms for the projection, and returns the months that are over by the projected events.
    pub(super) async fn find_closed_months(
        &self,
        shard: Shard,
        platform: PlatformId,
    ) -> Result<ClosedMonths, Error> {
        let head = self.store.log.head(shard).await?.position;
        let mut position = self.store.position(shard).await?;
        if position < head {
            position = self.store.wait_for(shard, head).await?;
        }
        let seen = self.store.log.boundary(shard, position).await?;
        let key = Key::from(platform);
        // Read after the position, so no advance of the clock up to it is missing.
        let events = self.aggregates.timelines(shard, &[key]).await?.remove(&key).unwrap_or_default();
        let name = zone_name(&events);
        let zone =
            Zone::named(name).ok_or_else(|| Error::UnknownTimeZone(name.unwrap_or_default().to_owned()))?;
        let clock = Clock::of(&events);
        let last = zone.month(clock.time_after(seen)).previous();
        Ok(ClosedMonths { clock, zone, last, position, head })
    }

    /// Returns the position at which a month that is over ends.
    pub(super) async fn end_of(
        &self,
        shard: Shard,
        closed_months: &ClosedMonths,
        month: Month,
    ) -> Result<Position, Error> {
        let next = closed_months.clock.beginning(closed_months.zone.start(month.next()));
        let recorded = self.store.log.position_at(shard, next.recorded.plus_ms(-1).ms()).await?;
        Ok(next.position.map_or(recorded, |last| recorded.min(last)))
    }
}

/// Returns the name of the time zone with which a platform was opened.
fn zone_name(events: &[RecordedEvent]) -> Option<&str> {
    events.iter().find_map(|happened| {
        let Event::Platform(platform::Event::Opened(opened)) = &happened.event else { return None };
        opened.time_zone.as_deref()
    })
}
