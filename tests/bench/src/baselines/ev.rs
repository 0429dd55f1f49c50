//! The table that B2 and B3 write to, and what their rows are: some 450 bytes, each of a stream of its own.

use daybook_pg::Pg;

use crate::error::Error;

/// What every row has beside its stream.
pub(super) const VERSION: i64 = 1;
pub(super) const TYPE: &str = "transaction.created";
pub(super) const PAYLOAD: &str = include_str!("payload.json").trim_ascii();

/// Makes the table, empty.
pub(super) async fn make(pg: &Pg) -> Result<(), Error> {
    execute(pg, include_str!("ev.sql")).await
}

/// Drops the table, whose rows nobody reads.
pub(super) async fn discard(pg: &Pg) -> Result<(), Error> {
    execute(pg, "drop table ev").await
}

async fn execute(pg: &Pg, sql: &str) -> Result<(), Error> {
    Ok(pg.client().await?.batch_execute(sql).await.map_err(daybook_pg::Error::from)?)
}
