//! Reading: pages of positions, streams, heads. Each function is one round trip on a connection that it is lent.

use tokio_postgres::{Client, Statement};
use uuid::Uuid;

use super::rows::{self, bigint};
use crate::{Error, Head, PAGE, Position, Recorded, Shard, StreamId};

pub(super) const HEAD: &str = include_str!("sql/read_head.sql");
pub(super) const BOUNDARY: &str = include_str!("sql/read_boundary.sql");
pub(super) const EVENTS: &str = include_str!("sql/read_events.sql");
pub(super) const STREAMS: &str = include_str!("sql/read_streams.sql");
pub(super) const LAST: &str = include_str!("sql/read_last.sql");

pub(super) async fn head(client: &Client, statement: &Statement, shard: Shard) -> Result<Head, Error> {
    rows::head(client.query_opt(statement, &[&shard]).await?.as_ref())
}

pub(super) async fn boundary(
    client: &Client,
    statement: &Statement,
    shard: Shard,
    position: Position,
) -> Result<Head, Error> {
    rows::head(client.query_opt(statement, &[&shard, &bigint(position)]).await?.as_ref())
}

/// One page of positions, not yet held against the head: see [`contiguous`].
pub(super) async fn events(
    client: &Client,
    statement: &Statement,
    shard: Shard,
    after: Position,
    up_to: Position,
) -> Result<Vec<Recorded>, Error> {
    let last = page_end(after, up_to);
    recorded(client.query(statement, &[&shard, &bigint(after), &bigint(last)]).await?.iter())
}

pub(super) async fn streams(
    client: &Client,
    statement: &Statement,
    shard: Shard,
    streams: &[(StreamId, u32)],
) -> Result<Vec<Recorded>, Error> {
    let ids: Vec<Uuid> = streams.iter().map(|(stream, _)| *stream).collect();
    // A version that the column cannot hold has none after it.
    let versions: Vec<i32> =
        streams.iter().map(|(_, version)| i32::try_from(*version).unwrap_or(i32::MAX)).collect();
    recorded(client.query(statement, &[&shard, &ids, &versions]).await?.iter())
}

pub(super) async fn last(
    client: &Client,
    statement: &Statement,
    shard: Shard,
    streams: &[StreamId],
) -> Result<Vec<Recorded>, Error> {
    recorded(client.query(statement, &[&shard, &streams]).await?.iter())
}

/// Requires that `events` are the positions after `after`, without a hole, and reach what `head` says is there.
///
/// `head` was read before `events`, or under the lock; so nothing up to it can be still to come.
pub(super) fn contiguous(
    events: Vec<Recorded>,
    after: Position,
    up_to: Position,
    head: Head,
) -> Result<Vec<Recorded>, Error> {
    let mut good = after;
    for event in &events {
        if event.position != good + 1 {
            return Err(missing(good));
        }
        good = event.position;
    }
    if good < page_end(after, up_to).min(head.position) { Err(missing(good)) } else { Ok(events) }
}

fn page_end(after: Position, up_to: Position) -> Position {
    after.saturating_add(u64::from(PAGE)).min(up_to)
}

fn missing(good: Position) -> Error {
    Error::Corrupt { position: good, what: "the next position is missing".to_owned() }
}

fn recorded<'a>(rows: impl Iterator<Item = &'a tokio_postgres::Row>) -> Result<Vec<Recorded>, Error> {
    rows.map(rows::recorded).collect()
}
