//! Telling again everything since a position, by way of the lanes.

use daybook_domain::SubscriptionId;
use daybook_log::{PAGE, Position};
use daybook_pg::{Pg, Transaction};

use super::WebhookError;
use super::fan_out::{self, Active};
use super::lanes::Goes;
use crate::engine::{Engine, SHARD};

/// Has `subscription` told again of everything from the position `from` on; answers up to which position, or none if there
/// is no such subscription that is active. Records that it is just being told of are told again from there on, in order.
///
/// # Errors
///
/// [`WebhookError`]; then a part may be told again.
pub async fn replay(
    engine: &Engine,
    pg: &Pg,
    subscription: SubscriptionId,
    from: Position,
) -> Result<Option<Position>, WebhookError> {
    let Some(only) = fan_out::active_one(engine, SHARD, subscription).await? else { return Ok(None) };
    let active = Active::from([(only.platform, vec![(subscription, only)])]);
    fan_out::begin(engine, pg, SHARD).await?;
    // What comes later is in nobody's lane yet, and will be.
    let up_to = fan_out::cursor(pg, SHARD).await?;
    let mut after = from.saturating_sub(1);
    while after < up_to {
        let last = after.saturating_add(PAGE.into()).min(up_to);
        let added = fan_out::added(&**engine.log(), SHARD, (after, last), &active).await?;
        let now = engine.clock().now();
        let save = async |tx: &Transaction<'_>| added.save(tx, SHARD, now, Goes::BackToThese).await;
        pg.tx("webhook.replay", save).await?;
        after = last;
    }
    Ok(Some(up_to))
}
