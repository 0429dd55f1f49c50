//! Telling again everything since a position: a subscription is set behind.

use daybook_domain::SubscriptionId;
use daybook_log::Position;
use daybook_pg::{Pg, Transaction};

use super::WebhookError;
use super::{backlog, fan_out};
use crate::engine::{Engine, SHARD};

/// Has `subscription` told again of everything from the position `from` on; answers up to which position that has happened
/// already, or none if there is no such subscription that is active. Records that it is just being told of are told again
/// from there on, in order.
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
