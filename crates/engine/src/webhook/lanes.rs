//! Lanes: delivery queues, one for each subscription and record. Any number of processes may work on them. A process
//! that takes a lane holds a lease on it for a while.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use daybook_domain::{SubscriptionId, Timestamp};
use daybook_log::Shard;
use daybook_pg::types::TimestampMs;
use daybook_pg::{Pg, Transaction};
use tokio_postgres::Row;
use uuid::Uuid;

use super::WebhookError;
use super::call_slots::LaneCount;

/// Lease of a lane: longer than any call can take.
const LEASE_DURATION: Duration = Duration::from_mins(1);

/// A lane leased by this process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lane {
    pub(super) subscription: SubscriptionId,
    /// Stream whose events are delivered.
    pub(super) record: Uuid,
    /// Version of the next event to deliver.
    pub(super) version: i32,
    /// Version of the last known event.
    pub(super) last: i32,
    /// Number of failed attempts to deliver the next event.
    pub(super) attempts: i16,
}

/// Events to deliver: the first and the last version by subscription and record.
#[derive(Debug, Default)]
pub(super) struct NewLanes(BTreeMap<(SubscriptionId, Uuid), (u32, u32)>);

impl NewLanes {
    /// Adds the event that brought `record` to `version`. It must be later than the events added before.
    pub(super) fn add(&mut self, subscription: SubscriptionId, record: Uuid, version: u32) {
        let (_, last) = self.0.entry((subscription, record)).or_insert((version, version));
        *last = version;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the subscriptions of the events.
    pub(super) fn subscriptions(&self) -> impl Iterator<Item = SubscriptionId> {
        let ids: BTreeSet<SubscriptionId> = self.0.keys().map(|(id, _)| *id).collect();
        ids.into_iter()
    }

    pub(super) fn without(mut self, full: &HashSet<SubscriptionId>) -> Self {
        self.0.retain(|(id, _), _| !full.contains(id));
        self
    }

    /// Appends the events to the lanes. Events that were delivered before rewind their lane.
    pub(super) async fn save(
        self,
        tx: &Transaction<'_>,
        shard: Shard,
        now: Timestamp,
    ) -> Result<(), WebhookError> {
        let (mut subscriptions, mut records, mut versions, mut lasts) = (vec![], vec![], vec![], vec![]);
        for ((subscription, record), (version, last)) in self.0 {
            subscriptions.push(Uuid::from(subscription));
            records.push(record);
            versions.push(i32::try_from(version).unwrap_or(i32::MAX));
            lasts.push(i32::try_from(last).unwrap_or(i32::MAX));
        }
        let statement = tx.prepare_cached(include_str!("sql/append.sql")).await?;
        let due = TimestampMs(now.ms());
        tx.execute(&statement, &[&shard, &subscriptions, &records, &versions, &lasts, &due]).await?;
        Ok(())
    }
}

/// Returns the number of lanes due at `now`, for each subscription in `room` with any, and at most as many as `room`
/// allows.
pub(super) async fn due(
    pg: &Pg,
    shard: Shard,
    room: &[LaneCount],
    now: Timestamp,
) -> Result<Vec<LaneCount>, WebhookError> {
    let (ids, rooms) = columns(room);
    let client = pg.of(shard).client().await?;
    let statement = client.prepare_cached(include_str!("sql/due.sql")).await?;
    let rows = client.query(&statement, &[&shard, &ids, &rooms, &TimestampMs(now.ms())]).await?;
    let one = |row: &Row| {
        let subscription = SubscriptionId::from(row.try_get::<_, Uuid>("id")?);
        Ok(LaneCount { subscription, count: row.try_get("lanes")? })
    };
    rows.iter().map(one).collect()
}

/// Leases lanes due at `now`, for each subscription at most as many as `room` allows.
pub(super) async fn take(
    pg: &Pg,
    shard: Shard,
    room: &[LaneCount],
    now: Timestamp,
) -> Result<Vec<Lane>, WebhookError> {
    let (ids, rooms) = columns(room);
    let ours_ms = i64::try_from(LEASE_DURATION.as_millis()).unwrap_or(i64::MAX);
    let until = TimestampMs(now.ms().saturating_add(ours_ms));
    let client = pg.of(shard).client().await?;
    let statement = client.prepare_cached(include_str!("sql/take.sql")).await?;
    let rows = client.query(&statement, &[&shard, &ids, &rooms, &TimestampMs(now.ms()), &until]).await?;
    rows.iter().map(lane).collect()
}

fn columns(lanes: &[LaneCount]) -> (Vec<Uuid>, Vec<i32>) {
    lanes.iter().map(|lanes| (Uuid::from(lanes.subscription), lanes.count)).unzip()
}

/// Returns a lane after a delivery. It continues at `version` when it is due.
pub(super) async fn put(
    pg: &Pg,
    shard: Shard,
    lane: &Lane,
    (version, attempts): (i32, i16),
    due: Timestamp,
) -> Result<(), WebhookError> {
    let (subscription, due) = (Uuid::from(lane.subscription), TimestampMs(due.ms()));
    let client = pg.of(shard).client().await?;
    let put = client.prepare_cached(include_str!("sql/put.sql")).await?;
    client
        .execute(&put, &[&shard, &subscription, &lane.record, &lane.version, &version, &attempts, &due])
        .await?;
    if version > lane.last {
        let finish = client.prepare_cached(include_str!("sql/finish.sql")).await?;
        client.execute(&finish, &[&shard, &subscription, &lane.record]).await?;
    }
    Ok(())
}

fn lane(row: &Row) -> Result<Lane, WebhookError> {
    Ok(Lane {
        subscription: SubscriptionId::from(row.try_get::<_, Uuid>("subscription")?),
        record: row.try_get("record")?,
        version: row.try_get("version")?,
        last: row.try_get("last")?,
        attempts: row.try_get("attempts")?,
    })
}
