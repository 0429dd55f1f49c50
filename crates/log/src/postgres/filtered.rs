//! Filtered reading: events that the filter leaves out are not transferred, but their rows must exist.

use std::pin::pin;

use futures::TryStreamExt;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Statement};

use super::rows::{self, bigint};
use crate::{Error, KindFilter, Position, Recorded, Shard, StreamKind};

pub(super) const EVENTS: &str = include_str!("sql/read_without.sql");

/// Returns the events at positions `after + 1 ..= end` that `kind_filter` does not name, without the boxes of kinds
/// `boxless`; `None` if one of the positions is missing, including those left out.
pub(super) async fn events(
    client: &Client,
    statement: &Statement,
    shard: Shard,
    (after, end): (Position, Position),
    boxless: &[StreamKind],
    kind_filter: &KindFilter,
) -> Result<Option<Vec<Recorded>>, Error> {
    let KindFilter { kinds, later } = kind_filter;
    let parameters: [&(dyn ToSql + Sync); 6] = [&shard, &bigint(after), &bigint(end), &boxless, kinds, later];
    let mut rows = pin!(client.query_raw(statement, parameters).await?);
    let (mut events, mut there, mut good) = (vec![], 0, after);
    while let Some(row) = rows.try_next().await? {
        let event = rows::recorded(&row)?;
        // A position must not occur twice: the duplicate would stand for one that is missing.
        if event.position <= good {
            return Ok(None);
        }
        good = event.position;
        if good == end {
            there = rows::number(&row, "there")?;
        }
        if !kind_filter.has(&event.event) {
            events.push(event);
        }
    }
    Ok((there == end.saturating_sub(after)).then_some(events))
}
