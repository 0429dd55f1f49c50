//! A ledger at rest: payers have filled it, all payments have settled, and an anchor has a checkpoint of the whole log.

use std::time::Duration;

use tokio::time::{Instant, sleep};
use tokio_postgres::Client as Database;

use crate::arena::Arena;
use crate::error::{Result, failed};
use crate::payments::{Payers, Payment};

/// Number of payers that fill the ledger.
const PAYERS: u64 = 16;
/// Timeout for the last checkpoint and for the end of the service.
const CHECKPOINT_TIMEOUT: Duration = Duration::from_mins(2);
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Time after which an anchor has a checkpoint that is in the database.
const MAX_LAG: Duration = Duration::from_secs(1);

/// Query for the position of the last event.
pub const END: &str = "select coalesce(max(last_position), 0) from commit";

/// Runs a query that returns one number.
pub async fn number(database: &Database, sql: &str) -> Result<i64> {
    Ok(database.query_one(sql, &[]).await?.get(0))
}

/// Runs payers, whose keys begin with `name`, until the log has `events` events. Returns their payments.
pub async fn grow(arena: &Arena, name: &str, events: i64, seed: u64) -> Result<Vec<Payment>> {
    let database = arena.cluster.connect().await?;
    let payers = Payers::start(&arena.world, arena.hosts[0].address, (name, PAYERS), seed);
    while number(&database, END).await? < events {
        sleep(POLL_INTERVAL).await;
    }
    Ok(payers.stop().await)
}

/// Waits until a checkpoint covers the whole log, and the anchor has it.
pub async fn covered(arena: &Arena) -> Result<()> {
    let database = arena.cluster.connect().await?;
    let deadline = Instant::now() + CHECKPOINT_TIMEOUT;
    let behind = "select (select max(position) from event) - coalesce((select max(size) from checkpoint), 0)";
    while number(&database, behind).await? > 0 {
        if Instant::now() > deadline {
            return Err(failed("no checkpoint covers the log"));
        }
        sleep(POLL_INTERVAL).await;
    }
    sleep(MAX_LAG).await;
    Ok(())
}

/// Stops a service that has no work left.
pub async fn close(arena: &Arena) -> Result<()> {
    let ended = arena.hosts[0].terminate(CHECKPOINT_TIMEOUT).await;
    ended.map(drop).ok_or_else(|| failed("the service does not end"))
}
