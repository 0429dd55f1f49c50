//! Reading without what is of no use: what is left out is neither sent nor received, and still has to be there.

use std::pin::pin;

use futures::TryStreamExt;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Statement};

use super::rows::{self, bigint};
use crate::{Error, LeftOut, Position, Recorded, Shard, StreamKind};

pub(super) const EVENTS: &str = include_str!("sql/read_without.sql");

/// The events at positions `after + 1 ..= end` that are not `left_out`, without the boxes of kinds `boxless`;
/// nothing if one of the positions is missing, whatever was there.
pub(super) async fn events(
    client: &Client,
    statement: &Statement,
    shard: Shard,
    (after, end): (Position, Position),
    boxless: &[StreamKind],
    left_out: &LeftOut,
) -> Result<Option<Vec<Recorded>>, Error> {
    let LeftOut { kinds, later } = left_out;
    let parameters: [&(dyn ToSql + Sync); 6] = [&shard, &bigint(after), &bigint(end), &boxless, kinds, later];
    let mut rows = pin!(client.query_raw(statement, parameters).await?);
    let (mut events, mut there, mut good) = (vec![], 0, after);
    while let Some(row) = rows.try_next().await? {
        let event = rows::recorded(&row)?;
        // Each position is there once: otherwise one that is there twice would stand for one that is missing.
        if event.position <= good {
            return Ok(None);
        }
        good = event.position;
        if good == end {
            there = rows::number(&row, "there")?;
        }
        if !left_out.has(&event.event) {
            events.push(event);
        }
    }
    Ok((there == end.saturating_sub(after)).then_some(events))
}
