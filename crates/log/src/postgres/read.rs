//! Reading: pages of positions, streams, heads, used keys. Each function makes one round trip on a borrowed connection.

use std::pin::pin;

use daybook_pg::types::TimestampMs;
use futures::TryStreamExt;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement};
use uuid::Uuid;

use super::rows::{self, bigint};
use crate::key::LIFETIME_MS;
use crate::record::TIMES_MS;
use crate::{
    AsOf, Error, EventLocation, Head, Key, PAGE, Position, Recorded, Shard, Span, StreamId, StreamKind,
    UsedKey,
};

pub(super) const HEAD: &str = include_str!("sql/read_head.sql");
pub(super) const BOUNDARY: &str = include_str!("sql/read_boundary.sql");
pub(super) const EVENTS: &str = include_str!("sql/read_events.sql");
pub(super) const POSITION_AT: &str = include_str!("sql/read_position_at.sql");
pub(super) const OF_PLATFORM: &str = include_str!("sql/read_of_platform.sql");
pub(super) const STREAM_PAGE: &str = include_str!("sql/read_stream_page.sql");
pub(super) const STREAMS: &str = include_str!("sql/read_streams.sql");
pub(super) const LAST: &str = include_str!("sql/read_last.sql");
pub(super) const LAST_AS_OF: &str = include_str!("sql/read_last_as_of.sql");
pub(super) const KEYS: &str = include_str!("sql/read_keys.sql");

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

pub(super) async fn position_at(
    client: &Client,
    statement: &Statement,
    shard: Shard,
    time_ms: i64,
) -> Result<Position, Error> {
    // No commit has a time outside the range that the log accepts, and the column cannot store every `i64`.
    let time = TimestampMs(time_ms.clamp(TIMES_MS.start() - 1, *TIMES_MS.end()));
    let row = client.query_opt(statement, &[&shard, &time]).await?;
    row.map_or(Ok(0), |row| rows::number(&row, "last_position"))
}

/// Reads one page of positions without the boxes of kinds `boxless`. The page is not compared with the head yet: see
/// [`contiguous`].
pub(super) async fn events(
    client: &Client,
    statement: &Statement,
    shard: Shard,
    after: Position,
    up_to: Position,
    boxless: &[StreamKind],
) -> Result<Vec<Recorded>, Error> {
    let last = page_end(after, up_to);
    let parameters: [&(dyn ToSql + Sync); 4] = [&shard, &bigint(after), &bigint(last), &boxless];
    let mut rows = pin!(client.query_raw(statement, parameters).await?);
    let mut events = Vec::with_capacity(usize::try_from(last.saturating_sub(after)).unwrap_or_default());
    // Row by row: a whole page would not stay in the processor's cache.
    while let Some(row) = rows.try_next().await? {
        events.push(rows::recorded(&row)?);
    }
    Ok(events)
}

/// Returns the statement for one event type. The server uses the index of the type only if the number is a constant in
/// the statement.
pub(super) fn of_type_sql(event_type: i16) -> String {
    include_str!("sql/read_of_type.sql").replace("<type>", &event_type.to_string())
}

pub(super) async fn of_type(
    client: &Client,
    statement: &Statement,
    shard: Shard,
    after: Position,
) -> Result<Vec<EventLocation>, Error> {
    let rows = client.query(statement, &[&shard, &bigint(after)]).await?;
    let place = |row: &Row| {
        Ok(EventLocation { position: rows::number(row, "position")?, stream: row.try_get("stream")? })
    };
    rows.iter().map(place).collect()
}

/// Reads the events of a platform, of streams of some kinds, in a range of positions.
pub(super) async fn of_platform(
    client: &Client,
    statement: &Statement,
    shard: Shard,
    (platform, kinds): (Uuid, &[StreamKind]),
    span: Span,
    limit: u32,
) -> Result<Vec<Recorded>, Error> {
    let (after, up_to, limit) = (bigint(span.after), bigint(span.up_to), i64::from(limit.min(PAGE)));
    recorded(client.query(statement, &[&shard, &platform, &kinds, &after, &up_to, &limit]).await?.iter())
}

/// Reads one page of versions of one stream.
pub(super) async fn stream_page(
    client: &Client,
    statement: &Statement,
    shard: Shard,
    stream: StreamId,
    after: u32,
    limit: u32,
) -> Result<Vec<Recorded>, Error> {
    let (after, last) = (int(after), int(after.saturating_add(limit.min(PAGE))));
    recorded(client.query(statement, &[&shard, &stream, &after, &last]).await?.iter())
}

pub(super) async fn streams(
    client: &Client,
    statement: &Statement,
    shard: Shard,
    streams: &[(StreamId, u32)],
) -> Result<Vec<Recorded>, Error> {
    let ids: Vec<Uuid> = streams.iter().map(|(stream, _)| *stream).collect();
    let versions: Vec<i32> = streams.iter().map(|(_, version)| int(*version)).collect();
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

/// Reads the last event of each stream as of its position.
pub(super) async fn last_as_of(
    client: &Client,
    statement: &Statement,
    shard: Shard,
    streams: &[AsOf],
    reach: u32,
) -> Result<Vec<Option<Recorded>>, Error> {
    let ids: Vec<Uuid> = streams.iter().map(|one| one.stream).collect();
    let after: Vec<i32> = streams.iter().map(|one| int(one.after)).collect();
    let last: Vec<i32> = streams.iter().map(|one| int(one.after.saturating_add(reach))).collect();
    let positions: Vec<i64> = streams.iter().map(|one| bigint(one.position)).collect();
    let rows = client.query(statement, &[&shard, &ids, &after, &last, &positions]).await?;
    let mut found = vec![None; streams.len()];
    for row in &rows {
        let place = usize::try_from(rows::number(row, "place")?).unwrap_or_default();
        if let Some(found) = found.get_mut(place.wrapping_sub(1)) {
            *found = Some(rows::recorded(row)?);
        }
    }
    Ok(found)
}

/// Result of a lookup of keys.
#[derive(Default)]
pub(super) struct Keys {
    /// Keys that count as used.
    pub(super) used: Vec<UsedKey>,
    /// True if a key has an expired row.
    pub(super) is_any_old: bool,
}

/// Looks up `keys` at `now_ms`.
pub(super) async fn keys(
    client: &Client,
    statement: &Statement,
    shard: Shard,
    keys: &[Key],
    now_ms: i64,
) -> Result<Keys, Error> {
    if keys.is_empty() {
        return Ok(Keys::default());
    }
    let keys: Vec<&[u8]> = keys.iter().map(Key::as_slice).collect();
    let rows = client.query(statement, &[&shard, &keys]).await?;
    let mut used = rows.iter().map(rows::used_key).collect::<Result<Vec<_>, _>>()?;
    used.retain(|key| key.recorded_at_ms > now_ms - LIFETIME_MS);
    Ok(Keys { is_any_old: used.len() < rows.len(), used })
}

/// Checks that `events` are the positions after `after`, without a gap, up to the end of the page or to `head`.
///
/// `head` was read before `events`, or under the lock, so every position up to it is committed.
pub(super) fn contiguous(
    events: Vec<Recorded>,
    after: Position,
    up_to: Position,
    head: Head,
) -> Result<Vec<Recorded>, Error> {
    let mut good = after;
    for event in &events {
        if event.position != good + 1 {
            return Err(Error::missing_after(good));
        }
        good = event.position;
    }
    if good < page_end(after, up_to).min(head.position) {
        Err(Error::missing_after(good))
    } else {
        Ok(events)
    }
}

/// Returns the last position of a page.
pub(super) fn page_end(after: Position, up_to: Position) -> Position {
    after.saturating_add(u64::from(PAGE)).min(up_to)
}

/// Converts a version to the type of its column. A version that does not fit becomes the maximum, which has none after
/// it.
fn int(version: u32) -> i32 {
    i32::try_from(version).unwrap_or(i32::MAX)
}

fn recorded<'a>(rows: impl Iterator<Item = &'a Row>) -> Result<Vec<Recorded>, Error> {
    rows.map(rows::recorded).collect()
}
