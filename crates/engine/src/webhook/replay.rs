//! Replay: redelivers a subscription's events from a position, by setting its backlog back.

use daybook_domain::SubscriptionId;
use daybook_log::{Position, Shard};
use daybook_pg::{Pg, Transaction};

use super::WebhookError;
use super::{backlog, fan_out};
use crate::engine::Engine;

/// Redelivers the events of `subscription`, which is in `shard`, from the position `from` on. Returns the current head of the log, or none if
/// there is no such active subscription. A lane that is further along is rewound, so the events of a record stay
/// in order.
///
/// # Errors
///
/// [`WebhookError`].
pub async fn replay(
    engine: &Engine,
    pg: &Pg,
    shard: Shard,
    subscription: SubscriptionId,
    from: Position,
) -> Result<Option<Position>, WebhookError> {
    if fan_out::active_one(engine, shard, subscription).await?.is_none() {
        return Ok(None);
    }
    fan_out::begin(engine, pg, shard).await?;
    let only = async |tx: &Transaction<'_>| {
        backlog::fall_behind(tx, shard, std::iter::once(subscription), from.saturating_sub(1)).await
    };
    pg.of(shard).tx("webhook.replay", only).await?;
    Ok(Some(engine.log().head(shard).await?.position))
}
