//! Fan-out: what happened since the last time, put into the lanes of those who subscribed to it. One database transaction with
//! the cursor, so nothing is left out and nothing is put in twice.

use std::collections::{BTreeMap, HashMap};

use daybook_domain::subscription::{Notice, Subscription};
use daybook_domain::{PlatformId, States, SubscriptionId};
use daybook_log::{Head, Log, PAGE, Position, Shard};
use daybook_pg::{Pg, Transaction};
use daybook_projector::Happened;
use uuid::Uuid;

use super::lanes::{Added, Goes};
use super::{WebhookError, bigint};
use crate::engine::Engine;

/// Subscriptions of a platform that are active.
pub(super) type Active = HashMap<PlatformId, Vec<(SubscriptionId, Subscription)>>;

/// What came of one step.
pub(super) struct Step {
    /// Who is to be called.
    pub(super) active: Active,
    /// Whether there is more at once.
    pub(super) is_behind: bool,
}

/// Begins at the end of the log, if it has not begun yet.
pub(super) async fn begin(engine: &Engine, pg: &Pg, shard: Shard) -> Result<(), WebhookError> {
    let head = engine.log().head(shard).await?;
    let client = pg.client().await?;
    let statement = client.prepare_cached(include_str!("sql/begin.sql")).await?;
    client.execute(&statement, &[&shard, &bigint(head.position), &bigint(head.commit_no)]).await?;
    Ok(())
}

/// Up to where events are in lanes.
pub(super) async fn cursor(pg: &Pg, shard: Shard) -> Result<Position, WebhookError> {
    let client = pg.client().await?;
    let statement = client.prepare_cached(include_str!("sql/read_cursor.sql")).await?;
    Ok(client.query_one(&statement, &[&shard]).await?.try_get::<_, i64>("position")?.unsigned_abs())
}

/// Takes one step, unless another process takes it just now.
pub(super) async fn step(engine: &Engine, pg: &Pg, shard: Shard) -> Result<Step, WebhookError> {
    // In this order: who subscribed before an event is then among those who are told of it.
    let projected = engine.reads().position(shard).await?;
    let active = active(engine, shard).await?;
    let work = async |tx: &Transaction<'_>| fan_out(engine, tx, shard, projected, &active).await;
    let is_behind = pg.tx("webhook.fan_out", work).await?;
    Ok(Step { active, is_behind })
}

/// The subscriptions that are active, by platform.
pub(super) async fn active(engine: &Engine, shard: Shard) -> Result<Active, WebhookError> {
    let mut active = Active::new();
    for (id, subscription) in engine.reads().subscriptions(shard).await? {
        if subscription.is_active {
            active.entry(subscription.platform).or_default().push((id, subscription));
        }
    }
    Ok(active)
}

/// A subscription, if it is active.
pub(super) async fn active_one(
    engine: &Engine,
    shard: Shard,
    id: SubscriptionId,
) -> Result<Option<Subscription>, WebhookError> {
    let found = engine.reads().records(shard, &[id.into()]).await?;
    Ok(found.subscription(id).filter(|known| known.is_active).cloned())
}

async fn fan_out(
    engine: &Engine,
    tx: &Transaction<'_>,
    shard: Shard,
    projected: Position,
    active: &Active,
) -> Result<bool, WebhookError> {
    let lock = tx.prepare_cached(include_str!("sql/lock.sql")).await?;
    let Some(row) = tx.query_opt(&lock, &[&shard]).await? else { return Ok(false) };
    let after = row.try_get::<_, i64>("position")?.unsigned_abs();
    let end = end(&**engine.log(), shard, after, projected, active.is_empty()).await?;
    if end.position <= after {
        return Ok(false);
    }
    if !active.is_empty() {
        let now = engine.clock().now();
        let added = added(&**engine.log(), shard, (after, end.position), active).await?;
        if !added.is_empty() {
            added.save(tx, shard, now, Goes::OnAsItDoes).await?;
        }
    }
    let advance = tx.prepare_cached(include_str!("sql/advance.sql")).await?;
    tx.execute(&advance, &[&shard, &bigint(end.position), &bigint(end.commit_no)]).await?;
    Ok(end.position < projected)
}

/// Where a step ends: with a commit, about a page on; where nobody is to be told, with what is projected.
async fn end(
    log: &dyn Log,
    shard: Shard,
    after: Position,
    projected: Position,
    is_idle: bool,
) -> Result<Head, WebhookError> {
    let page = log.boundary(shard, projected.min(after.saturating_add(PAGE.into()))).await?;
    // A commit that is larger than a page is taken whole, with those behind it.
    if is_idle || page.position <= after { Ok(log.boundary(shard, projected).await?) } else { Ok(page) }
}

/// What is to be told of the positions `after + 1 ..= up_to`, and to whom.
pub(super) async fn added(
    log: &dyn Log,
    shard: Shard,
    (mut after, up_to): (Position, Position),
    active: &Active,
) -> Result<Added, WebhookError> {
    let mut lanes: BTreeMap<(Uuid, Uuid), (i32, i32)> = BTreeMap::new();
    while after < up_to {
        let page = log.read(shard, after, up_to).await?;
        let Some(last) = page.last() else { break };
        after = last.position;
        for recorded in &page {
            let platform = PlatformId::from_u128(recorded.event.platform.as_u128());
            let Some(subscriptions) = active.get(&platform) else { continue };
            let happened = Happened::decode(recorded)?;
            let version = i32::try_from(happened.version).unwrap_or(i32::MAX);
            for (id, _) in subscriptions.iter().filter(|(_, subscription)| is_about(subscription, &happened))
            {
                let lane = (Uuid::from_u128(id.as_u128()), recorded.event.stream);
                let (_, newest) = lanes.entry(lane).or_insert((version, version));
                *newest = version;
            }
        }
    }
    let mut added = Added::default();
    for ((subscription, record), versions) in lanes {
        added.add(subscription, record, versions);
    }
    Ok(added)
}

/// Whether an event is one that `subscription` is told of.
fn is_about(subscription: &Subscription, happened: &Happened) -> bool {
    let is_later = happened.effective_at >= subscription.created_at;
    is_later && Notice::of(&happened.event).is_some_and(|notice| notice.scope(&subscription.scopes).is_some())
}

/// Who is told at most so many things at a time.
pub(super) fn ids(active: &Active) -> impl Iterator<Item = SubscriptionId> {
    active.values().flatten().map(|(id, _)| *id)
}
