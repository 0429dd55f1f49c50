//! Raw reading: pages of rows as stored, each by a bounded range of its key, and the ends of the tables.
//!
//! The rows are not compared with the head: a caller reads raw rows to find their errors.

use std::pin::pin;

use daybook_pg::types::{JsonText, TimestampUs};
use futures::TryStreamExt;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, ToSql};
use uuid::Uuid;

use super::PostgresLog;
use super::read::BOUNDARY;
use super::rows::{bigint, number};
use crate::raw::{RawCommit, RawCount, RawCursor, RawEvent, RawTile, TableBounds};
use crate::{Error, Head, Log, PAGE, Position, Shard};

impl PostgresLog {
    /// Returns the rows of `event` at positions `after + 1 ..= min(after + PAGE, up_to)`, with their boxes if `boxes`
    /// is true.
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
        let mut events = vec![];
        let keep = |row: &Row| event(row).map(|event| events.push(event));
        self.rows_of_events(shard, after, up_to, boxes, keep).await?;
        Ok(events)
    }

    /// Passes the same rows to `look`, one by one: a whole page would not stay in the processor's cache.
    ///
    /// # Errors
    ///
    /// Same as [`PostgresLog::raw_events`].
    pub async fn raw_each(
        &self,
        shard: Shard,
        after: Position,
        up_to: Position,
        boxes: bool,
        mut look: impl FnMut(RawEvent<&[u8]>) + Send,
    ) -> Result<(), Error> {
        self.rows_of_events(shard, after, up_to, boxes, |row| event(row).map(&mut look)).await
    }

    async fn rows_of_events(
        &self,
        shard: Shard,
        after: Position,
        up_to: Position,
        boxes: bool,
        mut read: impl FnMut(&Row) -> Result<(), Error> + Send,
    ) -> Result<(), Error> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/raw_events.sql")).await?;
        let last = after.saturating_add(u64::from(PAGE)).min(up_to);
        let parameters: [&(dyn ToSql + Sync); 4] = [&shard, &bigint(after), &bigint(last), &boxes];
        let mut rows = pin!(client.query_raw(&statement, parameters).await?);
        while let Some(row) = rows.try_next().await? {
            read(&row)?;
        }
        Ok(())
    }

    /// Returns the first position after `after` at which the boxes add up to `bytes` bytes or more; `None` if they do
    /// not up to `up_to`.
    ///
    /// # Errors
    ///
    /// Same as [`PostgresLog::raw_events`].
    pub async fn raw_filled(
        &self,
        shard: Shard,
        after: Position,
        up_to: Position,
        bytes: u64,
    ) -> Result<Option<Position>, Error> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/raw_filled.sql")).await?;
        let parameters: [&(dyn ToSql + Sync); 4] = [&shard, &bigint(after), &bigint(up_to), &bigint(bytes)];
        let filled: Option<i64> = client.query_one(&statement, &parameters).await?.try_get(0)?;
        Ok(filled.and_then(|position| u64::try_from(position).ok()))
    }

    /// Returns the next rows of `commit` after the number `after`, at most [`PAGE`].
    ///
    /// # Errors
    ///
    /// Same as [`PostgresLog::raw_events`].
    pub async fn raw_commits(&self, shard: Shard, after: u64) -> Result<Vec<RawCommit>, Error> {
        self.commits(shard, after, PAGE).await
    }

    /// Returns the commit of the event at `position`, if there is one.
    ///
    /// # Errors
    ///
    /// Same as [`PostgresLog::raw_events`].
    pub async fn raw_commit_of(&self, shard: Shard, position: Position) -> Result<Option<RawCommit>, Error> {
        let Some(before) = position.checked_sub(1) else { return Ok(None) };
        let before = self.boundary(shard, before).await?;
        let commit = self.commits(shard, before.commit_no, 1).await?.pop();
        Ok(commit.filter(|commit| commit.last_position >= position))
    }

    /// Returns the position of the event with this id, if there is one.
    ///
    /// # Errors
    ///
    /// Same as [`PostgresLog::raw_events`].
    pub async fn position_of(&self, shard: Shard, event: Uuid) -> Result<Option<Position>, Error> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/find_event.sql")).await?;
        let row = client.query_opt(&statement, &[&shard, &event]).await?;
        row.map(|row| number(&row, "position")).transpose()
    }

    /// Returns the next rows of `commit` after the number `after`, at most `limit`.
    pub(super) async fn commits(
        &self,
        shard: Shard,
        after: u64,
        limit: u32,
    ) -> Result<Vec<RawCommit>, Error> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/raw_commits.sql")).await?;
        let rows = client.query(&statement, &[&shard, &bigint(after), &i64::from(limit)]).await?;
        rows.iter().map(commit).collect()
    }

    /// Returns the next rows of `tile` after a level and index, by level and index.
    ///
    /// # Errors
    ///
    /// Same as [`PostgresLog::raw_events`].
    pub async fn raw_tiles(&self, shard: Shard, after: (i16, i64)) -> Result<Vec<RawTile>, Error> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/raw_tiles.sql")).await?;
        let rows = client.query(&statement, &[&shard, &after.0, &after.1]).await?;
        let tile = |row: &Row| {
            Ok(RawTile { level: row.try_get("level")?, n: row.try_get("n")?, hashes: row.try_get("hashes")? })
        };
        rows.iter().map(tile).collect()
    }

    /// Returns every cursor of the shard.
    ///
    /// # Errors
    ///
    /// Same as [`PostgresLog::raw_events`].
    pub async fn raw_cursors(&self, shard: Shard) -> Result<Vec<RawCursor>, Error> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/raw_cursors.sql")).await?;
        client.query(&statement, &[&shard]).await?.iter().map(cursor).collect()
    }

    /// Returns counts of the events at the positions `after + 1 ..= up_to`. The database counts, so the range may have
    /// any length.
    ///
    /// # Errors
    ///
    /// Same as [`PostgresLog::raw_events`].
    pub async fn raw_counts(
        &self,
        shard: Shard,
        after: Position,
        up_to: Position,
    ) -> Result<Vec<RawCount>, Error> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/raw_counts.sql")).await?;
        let rows = client.query(&statement, &[&shard, &bigint(after), &bigint(up_to)]).await?;
        rows.iter().map(count).collect()
    }

    /// Returns the end of the log by its newest commits, without any check: the highest number, and the highest last
    /// position.
    ///
    /// # Errors
    ///
    /// Same as [`PostgresLog::raw_events`].
    pub async fn raw_head(&self, shard: Shard) -> Result<Head, Error> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/raw_head.sql")).await?;
        head(client.query_opt(&statement, &[&shard, &i64::from(PAGE)]).await?.as_ref())
    }

    /// Same as [`Log::boundary`], without any check of the commit.
    ///
    /// # Errors
    ///
    /// Same as [`PostgresLog::raw_events`].
    pub async fn raw_boundary(&self, shard: Shard, position: Position) -> Result<Head, Error> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(BOUNDARY).await?;
        head(client.query_opt(&statement, &[&shard, &bigint(position)]).await?.as_ref())
    }

    /// Returns the lowest and highest keys of the tables of events and commits.
    ///
    /// # Errors
    ///
    /// Same as [`PostgresLog::raw_events`].
    pub async fn raw_extent(&self, shard: Shard) -> Result<TableBounds, Error> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/raw_extent.sql")).await?;
        let row = client.query_one(&statement, &[&shard]).await?;
        Ok(TableBounds {
            first_position: row.try_get("first_position")?,
            last_position: row.try_get("last_position")?,
            first_commit: row.try_get("first_commit")?,
            last_commit: row.try_get("last_commit")?,
        })
    }

    /// Returns the identity of the shard's log.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] if there is no such shard.
    pub async fn log_id(&self, shard: Shard) -> Result<Uuid, Error> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/read_log_id.sql")).await?;
        Ok(client.query_one(&statement, &[&shard]).await?.try_get(0)?)
    }
}

/// Columns of `raw_events.sql`, in their order. To find each column by name is a large part of the cost of a row.
#[derive(Clone, Copy)]
enum Column {
    Position,
    EventId,
    Stream,
    StreamKind,
    Version,
    Type,
    SchemaVersion,
    RecordedAt,
    EffectiveAt,
    Actor,
    CauseId,
    CorrelationId,
    Platform,
    Data,
    Sealed,
    SealedHash,
}

impl Column {
    fn of<'a, T: FromSql<'a>>(self, row: &'a Row) -> Result<T, tokio_postgres::Error> {
        row.try_get(self as usize)
    }
}

fn event<'a, B: From<&'a [u8]>>(row: &'a Row) -> Result<RawEvent<B>, Error> {
    let bytes = |column: Column| column.of::<Option<&[u8]>>(row).map(|bytes| bytes.map(B::from));
    Ok(RawEvent {
        position: Column::Position
            .of::<i64>(row)?
            .try_into()
            .map_err(|error| Error::Refused(Box::new(error)))?,
        event_id: Column::EventId.of(row)?,
        stream: Column::Stream.of(row)?,
        stream_kind: Column::StreamKind.of(row)?,
        version: Column::Version.of(row)?,
        event_type: Column::Type.of(row)?,
        schema_version: Column::SchemaVersion.of(row)?,
        recorded_at_us: Column::RecordedAt.of::<TimestampUs>(row)?.0,
        effective_at_us: Column::EffectiveAt.of::<Option<TimestampUs>>(row)?.map(|at| at.0),
        actor: Column::Actor.of(row)?,
        cause_id: Column::CauseId.of(row)?,
        correlation_id: Column::CorrelationId.of(row)?,
        platform: Column::Platform.of(row)?,
        data: Column::Data.of::<JsonText<&[u8]>>(row)?.0.into(),
        sealed: bytes(Column::Sealed)?,
        sealed_hash: bytes(Column::SealedHash)?,
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

/// Reads a number. A negative one becomes 0, which is below every position.
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
        frontier: row.try_get("frontier")?,
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
