//! What is still to be told, for those who watch.

use daybook_domain::Timestamp;
use daybook_log::{Position, Shard};
use daybook_pg::Pg;
use daybook_pg::types::TimestampMs;

use super::WebhookError;

/// What is still to be told to all subscriptions of a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Records that some subscription is still to be told of.
    pub lanes: u64,
    /// Those of them whose next event was told in vain already.
    pub retrying: u64,
    /// Since when the first of them is due; none if none is.
    pub due_since: Option<Timestamp>,
    /// How far events are in lanes; none if nobody ever told anybody.
    pub position: Option<Position>,
    /// Subscriptions that are behind that.
    pub behind: u64,
    /// How far the last of those is.
    pub behind_at: Option<Position>,
}

/// Looks what is still to be told at `now`.
///
/// # Errors
///
/// [`WebhookError`] if the database cannot be read.
pub async fn waiting(pg: &Pg, shard: Shard, now: Timestamp) -> Result<Waiting, WebhookError> {
    let client = pg.client().await?;
    let statement = client.prepare_cached(include_str!("sql/waiting.sql")).await?;
    let row = client.query_one(&statement, &[&shard, &TimestampMs(now.ms())]).await?;
    let count = |name: &str| Ok::<_, WebhookError>(row.try_get::<_, i64>(name)?.unsigned_abs());
    let position =
        |name: &str| Ok::<_, WebhookError>(row.try_get::<_, Option<i64>>(name)?.map(i64::unsigned_abs));
    let due_since: Option<TimestampMs> = row.try_get("due_since")?;
    Ok(Waiting {
        lanes: count("lanes")?,
        retrying: count("retrying")?,
        due_since: due_since.map(|since| Timestamp::from_ms(since.0)),
        position: position("position")?,
        behind: count("behind")?,
        behind_at: position("behind_at")?,
    })
}
