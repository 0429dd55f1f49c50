//! Statistics of pending deliveries, for monitoring.

use daybook_domain::Timestamp;
use daybook_log::{Position, Shard};
use daybook_pg::Pg;
use daybook_pg::types::TimestampMs;

use super::WebhookError;

/// Pending deliveries to all subscriptions of a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BacklogStatus {
    /// Number of lanes with pending events.
    pub lanes: u64,
    /// Number of those lanes whose next event has failed at least once.
    pub retrying: u64,
    /// Time since when the first lane is due; none if no lane is.
    pub due_since: Option<Timestamp>,
    /// Position of the cursor; none if it was never started.
    pub position: Option<Position>,
    /// Number of subscriptions with a backlog.
    pub behind: u64,
    /// Position of the longest backlog.
    pub behind_at: Option<Position>,
}

/// Reads the pending deliveries at `now`.
///
/// # Errors
///
/// [`WebhookError`] if the database cannot be read.
pub async fn backlog_status(pg: &Pg, shard: Shard, now: Timestamp) -> Result<BacklogStatus, WebhookError> {
    let client = pg.of(shard).client().await?;
    let statement = client.prepare_cached(include_str!("sql/waiting.sql")).await?;
    let row = client.query_one(&statement, &[&shard, &TimestampMs(now.ms())]).await?;
    let count = |name: &str| Ok::<_, WebhookError>(row.try_get::<_, i64>(name)?.unsigned_abs());
    let position =
        |name: &str| Ok::<_, WebhookError>(row.try_get::<_, Option<i64>>(name)?.map(i64::unsigned_abs));
    let due_since: Option<TimestampMs> = row.try_get("due_since")?;
    Ok(BacklogStatus {
        lanes: count("lanes")?,
        retrying: count("retrying")?,
        due_since: due_since.map(|since| Timestamp::from_ms(since.0)),
        position: position("position")?,
        behind: count("behind")?,
        behind_at: position("behind_at")?,
    })
}
