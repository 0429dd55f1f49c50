//! Fan-out: puts new events into the lanes of their subscriptions. The cursor moves in the same database transaction
//! (transactional outbox), so no event is left out or added twice.

use std::collections::HashMap;

use daybook_domain::subscription::{Notice, Subscription};
use daybook_domain::{PlatformId, States, SubscriptionId};
use daybook_log::{Head, Log, PAGE, Position, Recorded, Shard};
use daybook_pg::{Pg, Transaction};
use daybook_projector::RecordedEvent;

use super::backlog::{self, Backlogs, RefillScope};
use super::lanes::NewLanes;
use super::{WebhookError, bigint};
use crate::engine::Engine;

/// Active subscriptions.
pub(super) type Active = HashMap<SubscriptionId, Subscription>;

/// Result of one step.
pub(super) struct Step {
    /// The active subscriptions.
    pub(super) active: Active,
    /// True if the next step can follow immediately.
    pub(super) is_behind: bool,
}

/// Starts the cursor at the head of the log, unless it exists already.
pub(super) async fn begin(engine: &Engine, pg: &Pg, shard: Shard) -> Result<(), WebhookError> {
    let head = engine.log().head(shard).await?;
    let client = pg.of(shard).client().await?;
    let statement = client.prepare_cached(include_str!("sql/begin.sql")).await?;
    client.execute(&statement, &[&shard, &bigint(head.position), &bigint(head.commit_no)]).await?;
    Ok(())
}

/// Takes one step, unless another process is taking one. Adds at most `window` untried lanes per subscription, apart
/// from those of one step. `scope` selects which backlogged subscriptions are refilled.
pub(super) async fn step(
    engine: &Engine,
    pg: &Pg,
    shard: Shard,
    (window, scope): (u32, &RefillScope),
) -> Result<Step, WebhookError> {
    // This order guarantees that a subscription created before an event receives it.
    let projected = engine.reads().store().position(shard).await?;
    let active = active(engine, shard).await?;
    let work = async |tx: &Transaction<'_>| {
        let Some(after) = lock(tx, shard).await? else { return Ok::<_, WebhookError>(false) };
        let backlogs = Backlogs::read(tx, shard).await?;
        let audience = Audience::of(&active, &backlogs);
        let end = fan_out(engine, tx, shard, &audience, (after, projected), window).await?;
        backlogs.refill(engine, tx, shard, (&active, scope), (end, window)).await?;
        Ok(end < projected)
    };
    let is_behind = pg.of(shard).tx("webhook.fan_out", work).await?;
    Ok(Step { active, is_behind })
}

/// Returns the active subscriptions.
async fn active(engine: &Engine, shard: Shard) -> Result<Active, WebhookError> {
    let all = engine.reads().lists().subscriptions(shard).await?;
    Ok(all.into_iter().filter(|(_, subscription)| subscription.is_active).collect())
}

/// Returns a subscription if it is active.
pub(super) async fn active_one(
    engine: &Engine,
    shard: Shard,
    id: SubscriptionId,
) -> Result<Option<Subscription>, WebhookError> {
    let found = engine.reads().aggregates().records(shard, &[id.into()]).await?;
    Ok(found.subscription(id).filter(|known| known.is_active).cloned())
}

/// Locks the cursor and returns its position, or none if another process holds the lock.
async fn lock(tx: &Transaction<'_>, shard: Shard) -> Result<Option<Position>, WebhookError> {
    let statement = tx.prepare_cached(include_str!("sql/lock.sql")).await?;
    let row = tx.query_opt(&statement, &[&shard]).await?;
    Ok(row.map(|row| row.try_get::<_, i64>("position")).transpose()?.map(i64::unsigned_abs))
}

/// Puts at most a page of the events after `after` into lanes. Returns the new position of the cursor.
async fn fan_out(
    engine: &Engine,
    tx: &Transaction<'_>,
    shard: Shard,
    audience: &Audience<'_>,
    (after, projected): (Position, Position),
    window: u32,
) -> Result<Position, WebhookError> {
    let end = end(&**engine.log(), shard, (after, projected), audience.is_empty()).await?;
    if end.position <= after {
        return Ok(after);
    }
    let mut added = NewLanes::default();
    let mut read = after;
    while !audience.is_empty() && read < end.position {
        let page = engine.log().read(shard, read, end.position).await?;
        let Some(last) = page.last() else { break };
        read = last.position;
        audience.note(&page, &mut added)?;
    }
    if !added.is_empty() {
        let full = backlog::full(tx, shard, added.subscriptions(), window).await?;
        if !full.is_empty() {
            backlog::fall_behind(tx, shard, full.iter().copied(), after).await?;
        }
        added.without(&full).save(tx, shard, engine.clock().now()).await?;
    }
    let advance = tx.prepare_cached(include_str!("sql/advance.sql")).await?;
    tx.execute(&advance, &[&shard, &bigint(end.position), &bigint(end.commit_no)]).await?;
    Ok(end.position)
}

/// Returns the end of a step: the last commit within about a page or, without an audience, the last projected commit.
async fn end(
    log: &dyn Log,
    shard: Shard,
    (after, projected): (Position, Position),
    is_idle: bool,
) -> Result<Head, WebhookError> {
    let page = log.boundary(shard, projected.min(after.saturating_add(PAGE.into()))).await?;
    // A commit larger than a page is taken whole, with the commits after it.
    if is_idle || page.position <= after { Ok(log.boundary(shard, projected).await?) } else { Ok(page) }
}

/// Subscriptions that receive the events, by platform.
pub(super) struct Audience<'a>(HashMap<PlatformId, Vec<(SubscriptionId, &'a Subscription)>>);

impl<'a> Audience<'a> {
    /// Returns the `active` subscriptions without a backlog.
    fn of(active: &'a Active, backlogs: &Backlogs) -> Self {
        let mut audience = Self(HashMap::new());
        for (id, subscription) in active.iter().filter(|(id, _)| !backlogs.has(**id)) {
            audience.0.entry(subscription.platform).or_default().push((*id, subscription));
        }
        audience
    }

    /// Returns an audience of one subscription.
    pub(super) fn only(id: SubscriptionId, subscription: &'a Subscription) -> Self {
        Self(HashMap::from([(subscription.platform, vec![(id, subscription)])]))
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the events of `page` for the subscriptions that receive them.
    pub(super) fn note(&self, page: &[Recorded], added: &mut NewLanes) -> Result<(), WebhookError> {
        for recorded in page {
            let platform = PlatformId::from(recorded.event.platform);
            let Some(subscriptions) = self.0.get(&platform) else { continue };
            let happened = RecordedEvent::decode(recorded)?;
            let about = subscriptions.iter().filter(|(_, subscription)| is_about(subscription, &happened));
            for (id, _) in about {
                added.add(*id, recorded.event.stream, happened.version);
            }
        }
        Ok(())
    }
}

/// Returns true if `subscription` receives the event.
fn is_about(subscription: &Subscription, happened: &RecordedEvent) -> bool {
    let is_later = happened.effective_at >= subscription.created_at;
    is_later && Notice::of(&happened.event).is_some_and(|notice| notice.scope(&subscription.scopes).is_some())
}
