//! Raw reading: pages of rows as they are, each by a bounded range of its key, and what the ends of the tables are.
//!
//! Nothing here is held against the head: who reads raw rows wants to see what is wrong with them.

use daybook_pg::types::TimestampUs;
use tokio_postgres::Row;
use uuid::Uuid;

use super::PostgresLog;
use super::read::BOUNDARY;
use super::rows::{bigint, number};
use crate::raw::{Extent, RawCommit, RawCount, RawCursor, RawEvent};
use crate::{Error, Head, PAGE, Position, Shard};

impl PostgresLog {
    /// The rows of `event` at positions `after + 1 ..= min(after + PAGE, up_to)`, with their boxes if `boxes`.
    ///
    /// # Errors
    ///
    /// [`Error`] if the database cannot be read. A missing row is not an error.
    pub async fn raw_events(
        &self,
        shard: Shard,
        after: Position,
        up_to: Position,
        boxes: bool,
    ) -> Result<Vec<RawEvent>, Error> {
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/raw_events.sql")).await?;
        let last = after.saturating_add(u64::from(PAGE)).min(up_to);
        let rows = client.query(&statement, &[&shard, &bigint(after), &bigint(last), &boxes]).await?;
        rows.iter().map(event).collect()
    }

    /// The next rows of `commit` after the number `after`, at most [`PAGE`].
    ///
    /// # Errors
    ///
    /// As [`PostgresLog::raw_events`].
    pub async fn raw_commits(&self, shard: Shard, after: u64) -> Result<Vec<RawCommit>, Error> {
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/raw_commits.sql")).await?;
        let rows = client.query(&statement, &[&shard, &bigint(after), &i64::from(PAGE)]).await?;
        rows.iter().map(commit).collect()
    }

    /// Every cursor of the shard.
    ///
    /// # Errors
    ///
    /// As [`PostgresLog::raw_events`].
    pub async fn raw_cursors(&self, shard: Shard) -> Result<Vec<RawCursor>, Error> {
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/raw_cursors.sql")).await?;
        client.query(&statement, &[&shard]).await?.iter().map(cursor).collect()
    }

    /// What is at the positions `after + 1 ..= up_to`, which may be any number; the database counts.
    ///
    /// # Errors
    ///
    /// As [`PostgresLog::raw_events`].
    pub async fn raw_counts(
        &self,
        shard: Shard,
        after: Position,
        up_to: Position,
    ) -> Result<Vec<RawCount>, Error> {
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/raw_counts.sql")).await?;
        let rows = client.query(&statement, &[&shard, &bigint(after), &bigint(up_to)]).await?;
        rows.iter().map(count).collect()
    }

    /// Where the log ends by its commits, whatever the newest of them say of themselves.
    ///
    /// # Errors
    ///
    /// As [`PostgresLog::raw_events`].
    pub async fn raw_head(&self, shard: Shard) -> Result<Head, Error> {
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/raw_head.sql")).await?;
        head(client.query_opt(&statement, &[&shard, &i64::from(PAGE)]).await?.as_ref())
    }

    /// As [`Log::boundary`](crate::Log::boundary), whatever the commit says of itself.
    ///
    /// # Errors
    ///
    /// As [`PostgresLog::raw_events`].
    pub async fn raw_boundary(&self, shard: Shard, position: Position) -> Result<Head, Error> {
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(BOUNDARY).await?;
        head(client.query_opt(&statement, &[&shard, &bigint(position)]).await?.as_ref())
    }

    /// The ends of the tables.
    ///
    /// # Errors
    ///
    /// As [`PostgresLog::raw_events`].
    pub async fn raw_extent(&self, shard: Shard) -> Result<Extent, Error> {
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/raw_extent.sql")).await?;
        let row = client.query_one(&statement, &[&shard]).await?;
        Ok(Extent {
            first_position: row.try_get("first_position")?,
            last_position: row.try_get("last_position")?,
            first_commit: row.try_get("first_commit")?,
            last_commit: row.try_get("last_commit")?,
        })
    }

    /// Which log the shard is.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] if there is no such shard.
    pub async fn log_id(&self, shard: Shard) -> Result<Uuid, Error> {
        let client = self.pg.client().await?;
        let statement = client.prepare_cached(include_str!("sql/read_log_id.sql")).await?;
        Ok(client.query_one(&statement, &[&shard]).await?.try_get(0)?)
    }
}

fn event(row: &Row) -> Result<RawEvent, Error> {
    Ok(RawEvent {
        position: number(row, "position")?,
        event_id: row.try_get("event_id")?,
        stream: row.try_get("stream")?,
        stream_kind: row.try_get("stream_kind")?,
        version: row.try_get("version")?,
        event_type: row.try_get("type")?,
        schema_version: row.try_get("schema_version")?,
        recorded_at_us: row.try_get::<_, TimestampUs>("recorded_at")?.0,
        effective_at_us: row.try_get::<_, Option<TimestampUs>>("effective_at")?.map(|at| at.0),
        actor: row.try_get("actor")?,
        cause_id: row.try_get("cause_id")?,
        correlation_id: row.try_get("correlation_id")?,
        platform: row.try_get("platform")?,
        data: row.try_get::<_, daybook_pg::types::JsonText<Vec<u8>>>("data")?.0,
        sealed: row.try_get("sealed")?,
        sealed_hash: row.try_get("sealed_hash")?,
    })
}

fn head(row: Option<&Row>) -> Result<Head, Error> {
    let Some(row) = row else { return Ok(Head::default()) };
    Ok(Head {
        commit_no: clamped(row, "commit_no")?,
        position: clamped(row, "last_position")?,
        recorded_at_ms: row.try_get::<_, TimestampUs>("recorded_at")?.0.div_euclid(1_000),
    })
}

/// What is below zero is below every position.
fn clamped(row: &Row, column: &str) -> Result<u64, Error> {
    Ok(u64::try_from(row.try_get::<_, i64>(column)?).unwrap_or(0))
}

fn commit(row: &Row) -> Result<RawCommit, Error> {
    Ok(RawCommit {
        commit_no: number(row, "commit_no")?,
        batch: row.try_get("batch")?,
        writer: row.try_get("writer")?,
        last_position: clamped(row, "last_position")?,
        recorded_at_us: row.try_get::<_, TimestampUs>("recorded_at")?.0,
        root: row.try_get("root")?,
        signature: row.try_get("signature")?,
    })
}

fn cursor(row: &Row) -> Result<RawCursor, Error> {
    Ok(RawCursor {
        name: row.try_get("name")?,
        position: row.try_get("position")?,
        commit_no: row.try_get("commit_no")?,
        at_us: row.try_get::<_, Option<TimestampUs>>("at")?.map(|at| at.0),
    })
}

fn count(row: &Row) -> Result<RawCount, Error> {
    Ok(RawCount {
        event_type: row.try_get("type")?,
        schema_version: row.try_get("schema_version")?,
        stream_kind: row.try_get("stream_kind")?,
        events: number(row, "events")?,
        data_bytes: number(row, "data_bytes")?,
        boxes: number(row, "boxes")?,
        box_bytes: number(row, "box_bytes")?,
        first_at_us: row.try_get::<_, TimestampUs>("first_at")?.0,
        last_at_us: row.try_get::<_, TimestampUs>("last_at")?.0,
    })
}
