//! A ledger that is looked at when nothing moves any more: payers made it, it has settled, and an anchor covers all of it.

use std::time::Duration;

use tokio::time::{Instant, sleep};
use tokio_postgres::Client as Database;

use crate::arena::Arena;
use crate::error::{Result, failed};
use crate::payments::{Payers, Payment};

/// How many payers make it.
const PAYERS: u64 = 16;
/// How long the last checkpoint may take.
const PATIENCE: Duration = Duration::from_mins(2);
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// An anchor gets a checkpoint right behind the database.
const BEHIND: Duration = Duration::from_secs(1);

/// Where the log ends.
pub const END: &str = "select coalesce(max(last_position), 0) from commit";

/// The one number that a statement answers.
pub async fn number(database: &Database, sql: &str) -> Result<i64> {
    Ok(database.query_one(sql, &[]).await?.get(0))
}

/// Has payers, whose keys begin with `name`, pay until the log has so many events.
pub async fn grow(arena: &Arena, name: &str, events: i64, seed: u64) -> Result<Vec<Payment>> {
    let database = arena.cluster.connect().await?;
    let payers = Payers::start(&arena.world, arena.hosts[0].address, (name, PAYERS), seed);
    while number(&database, END).await? < events {
        sleep(LOOK_AGAIN).await;
    }
    Ok(payers.stop().await)
}

/// Waits until a checkpoint covers the log as it is, and the anchor has it.
pub async fn covered(arena: &Arena) -> Result<()> {
    let database = arena.cluster.connect().await?;
    let deadline = Instant::now() + PATIENCE;
    let behind = "select (select max(position) from event) - coalesce((select max(size) from checkpoint), 0)";
    while number(&database, behind).await? > 0 {
        if Instant::now() > deadline {
            return Err(failed("no checkpoint covers the log"));
        }
        sleep(LOOK_AGAIN).await;
    }
    sleep(BEHIND).await;
    Ok(())
}

/// Ends the service, all of whose work is done.
pub async fn close(arena: &Arena) -> Result<()> {
    let ended = arena.hosts[0].terminate(PATIENCE).await;
    ended.map(drop).ok_or_else(|| failed("the service does not end"))
}
