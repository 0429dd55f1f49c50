//! Replay: redelivers a subscription's events from a position, by setting its backlog back.

use daybook_domain::SubscriptionId;
use daybook_log::Position;
use daybook_pg::{Pg, Transaction};

use super::WebhookError;
use super::{backlog, fan_out};
use crate::engine::{Engine, SHARD};

/// Redelivers the events of `subscription` from the position `from` on. Returns the current head of the log, or none if
/// there is no such active subscription. A lane that is further along is rewound, so the events of a record stay
/// in order.
///
/// # Errors
///
/// [`WebhookError`].
pub async fn replay(
    engine: &Engine,
    pg: &Pg,
    subscription: SubscriptionId,
    from: Position,
) -> Result<Option<Position>, WebhookError> {
    if fan_out::active_one(engine, SHARD, subscription).await?.is_none() {
        return Ok(None);
    }
    fan_out::begin(engine, pg, SHARD).await?;
    let only = async |tx: &Transaction<'_>| {
        backlog::fall_behind(tx, SHARD, std::iter::once(subscription), from.saturating_sub(1)).await
    };
    pg.tx("webhook.replay", only).await?;
    Ok(Some(engine.log().head(SHARD).await?.position))
}
