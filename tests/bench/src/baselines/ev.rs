//! Table of the baselines B2 and B3, and its rows: about 450 bytes each, each in a stream of its own.

use daybook_pg::Pg;

use crate::error::Error;

/// Values of every row, besides its stream.
pub(super) const VERSION: i64 = 1;
pub(super) const TYPE: &str = "transaction.created";
pub(super) const PAYLOAD: &str = include_str!("payload.json").trim_ascii();

/// Creates the empty table.
pub(super) async fn make(pg: &Pg) -> Result<(), Error> {
    execute(pg, include_str!("ev.sql")).await
}

/// Drops the table.
pub(super) async fn discard(pg: &Pg) -> Result<(), Error> {
    execute(pg, "drop table ev").await
}

async fn execute(pg: &Pg, sql: &str) -> Result<(), Error> {
    Ok(pg.client().await?.batch_execute(sql).await.map_err(daybook_pg::Error::from)?)
}
