//! Backlogs: events that stay in the log for now, because their subscription has enough lanes already. A receiver that
//! accepts nothing therefore costs nothing, however much happens, and a full replay adds only a part at a time.

use std::collections::{HashMap, HashSet};

use daybook_domain::SubscriptionId;
use daybook_domain::subscription::Subscription;
use daybook_log::{PAGE, Position, Shard, Span};
use daybook_pg::Transaction;
use uuid::Uuid;

use super::fan_out::{Active, Audience};
use super::lanes::NewLanes;
use super::{WebhookError, bigint};
use crate::engine::Engine;
use crate::feed::notifiable_events;

/// Maximum number of log positions to scan per refill, of all platforms.
const MAX_POSITIONS_SCANNED: Position = 200_000;
/// Maximum number of subscriptions refilled at once.
const MAX_SUBSCRIPTIONS_PER_REFILL: usize = 16;

/// Selection of the backlogged subscriptions to refill.
#[derive(Debug)]
pub(super) enum RefillScope {
    /// All backlogged subscriptions.
    All,
    /// These subscriptions only.
    These(HashSet<SubscriptionId>),
}

impl RefillScope {
    fn has(&self, id: SubscriptionId) -> bool {
        match self {
            Self::All => true,
            Self::These(ids) => ids.contains(&id),
        }
    }
}

/// Subscriptions with a backlog, each with its position: none of its events after this position is in a lane.
#[derive(Debug, Default)]
pub(super) struct Backlogs(HashMap<SubscriptionId, Position>);

impl Backlogs {
    pub(super) async fn read(tx: &Transaction<'_>, shard: Shard) -> Result<Self, WebhookError> {
        let statement = tx.prepare_cached(include_str!("sql/read_backlogs.sql")).await?;
        let rows = tx.query(&statement, &[&shard]).await?;
        let one = |row: &tokio_postgres::Row| {
            let id = row.try_get::<_, Uuid>("subscription")?.as_u128();
            Ok((SubscriptionId::from_u128(id), row.try_get::<_, i64>("position")?.unsigned_abs()))
        };
        Ok(Self(rows.iter().map(one).collect::<Result<_, WebhookError>>()?))
    }

    pub(super) fn has(&self, id: SubscriptionId) -> bool {
        self.0.contains_key(&id)
    }

    /// Refills the lanes of subscriptions with fewer than half of `window` untried lanes, longest backlog first. `end`
    /// is the position of the subscriptions without a backlog.
    pub(super) async fn refill(
        &self,
        engine: &Engine,
        tx: &Transaction<'_>,
        shard: Shard,
        (active, scope): (&Active, &RefillScope),
        (end, window): (Position, u32),
    ) -> Result<(), WebhookError> {
        let all = self.0.iter().filter(|(id, _)| scope.has(**id));
        let mut all: Vec<_> = all.filter_map(|(id, from)| Some((*from, *id, active.get(id)?))).collect();
        if all.is_empty() {
            return Ok(());
        }
        all.sort_unstable_by_key(|(from, id, _)| (*from, *id));
        let full = full(tx, shard, all.iter().map(|(_, id, _)| *id), (window / 2).max(1)).await?;
        let with_room = all.into_iter().filter(|(_, id, _)| !full.contains(id));
        for (from, id, subscription) in with_room.take(MAX_SUBSCRIPTIONS_PER_REFILL) {
            refill_one(engine, tx, shard, (id, subscription), (from, end), window.min(PAGE)).await?;
        }
        Ok(())
    }
}

async fn refill_one(
    engine: &Engine,
    tx: &Transaction<'_>,
    shard: Shard,
    (id, subscription): (SubscriptionId, &Subscription),
    (position, end): (Position, Position),
    limit: u32,
) -> Result<(), WebhookError> {
    let own = Uuid::from(id);
    let limit_position = end.min(position.saturating_add(MAX_POSITIONS_SCANNED));
    let page = notifiable_events(
        &**engine.log(),
        shard,
        subscription.platform,
        Span { after: position, up_to: limit_position },
        limit,
    )
    .await?;
    let is_whole = u32::try_from(page.len()).is_ok_and(|found| found < limit);
    let reached = page.last().filter(|_| !is_whole).map_or(limit_position, |last| last.position);
    let mut added = NewLanes::default();
    Audience::only(id, subscription).note(&page, &mut added)?;
    added.save(tx, shard, engine.clock().now()).await?;
    if reached >= end {
        let statement = tx.prepare_cached(include_str!("sql/catch_up.sql")).await?;
        tx.execute(&statement, &[&shard, &own]).await?;
    } else {
        let statement = tx.prepare_cached(include_str!("sql/come_on.sql")).await?;
        tx.execute(&statement, &[&shard, &own, &bigint(reached)]).await?;
    }
    Ok(())
}

/// Returns those of `ids` that have `many` or more untried lanes.
pub(super) async fn full(
    tx: &Transaction<'_>,
    shard: Shard,
    ids: impl Iterator<Item = SubscriptionId>,
    many: u32,
) -> Result<HashSet<SubscriptionId>, WebhookError> {
    let ids: Vec<Uuid> = ids.map(Uuid::from).collect();
    let statement = tx.prepare_cached(include_str!("sql/full.sql")).await?;
    let rows = tx.query(&statement, &[&shard, &ids, &i64::from(many)]).await?;
    let id = |row: &tokio_postgres::Row| Ok(SubscriptionId::from(row.try_get::<_, Uuid>("id")?));
    rows.iter().map(id).collect()
}

/// Sets a backlog for `ids`: their events after `position` are delivered later, or again.
pub(super) async fn fall_behind(
    tx: &Transaction<'_>,
    shard: Shard,
    ids: impl Iterator<Item = SubscriptionId>,
    position: Position,
) -> Result<(), WebhookError> {
    let ids: Vec<Uuid> = ids.map(Uuid::from).collect();
    let statement = tx.prepare_cached(include_str!("sql/fall_behind.sql")).await?;
    tx.execute(&statement, &[&shard, &ids, &bigint(position)]).await?;
    Ok(())
}
