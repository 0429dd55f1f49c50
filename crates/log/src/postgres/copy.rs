//! Copying a log into an empty shard: the rows are inserted by COPY, in one database transaction per call.
//!
//! The copy bypasses the writer and assigns no positions: the caller has verified that the rows continue the log. The
//! shard's row is locked meanwhile, so no writer can append between the check of the head and the rows.

use daybook_pg::types::{JsonText, TimestampUs};
use daybook_pg::{Pg, Transaction};
use futures::pin_mut;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::PostgresLog;
use super::read;
use super::rows::bigint;
use crate::raw::{RawCommit, RawEvent};
use crate::{Error, Head, Shard};

impl PostgresLog {
    /// Gives the empty shard the identity of the log that is going to be copied into it.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`] if the shard is not empty.
    pub async fn adopt(&self, shard: Shard, log_id: Uuid) -> Result<(), Error> {
        copying(&self.pg, shard, Head::default(), async |tx: &Transaction<'_>| {
            let statement = tx.prepare_cached(include_str!("sql/set_log_id.sql")).await?;
            tx.execute(&statement, &[&shard, &log_id]).await?;
            Ok(())
        })
        .await
    }

    /// Copies whole commits with their events after `head`.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`] if the shard has another head; [`Error::Refused`] if the tables reject the rows.
    pub async fn copy_in(
        &self,
        shard: Shard,
        head: Head,
        events: &[RawEvent],
        commits: &[RawCommit],
    ) -> Result<(), Error> {
        copying(&self.pg, shard, head, async |tx: &Transaction<'_>| {
            copy_events(tx, shard, events).await?;
            copy_commits(tx, shard, commits).await
        })
        .await
    }
}

/// Runs `work` under the shard's lock, if the shard's head is `head`.
async fn copying(
    pg: &Pg,
    shard: Shard,
    head: Head,
    work: impl AsyncFnOnce(&Transaction<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    pg.of(shard)
        .tx("log.copy", async |tx: &Transaction<'_>| {
            let lock = tx.prepare_cached(include_str!("sql/lock_shard.sql")).await?;
            tx.query_one(&lock, &[&shard]).await?;
            let statement = tx.prepare_cached(read::HEAD).await?;
            let found = super::rows::head(tx.query_opt(&statement, &[&shard]).await?.as_ref())?;
            if found == head { work(tx).await } else { Err(Error::Conflict) }
        })
        .await
}

async fn copy_events(tx: &Transaction<'_>, shard: Shard, events: &[RawEvent]) -> Result<(), Error> {
    const TYPES: [Type; 17] = [
        Type::INT2,
        Type::INT8,
        Type::UUID,
        Type::UUID,
        Type::INT2,
        Type::INT4,
        Type::INT2,
        Type::INT2,
        Type::TIMESTAMPTZ,
        Type::TIMESTAMPTZ,
        Type::UUID,
        Type::UUID,
        Type::UUID,
        Type::UUID,
        Type::JSON,
        Type::BYTEA,
        Type::BYTEA,
    ];
    let sink = tx.copy_in(include_str!("sql/copy_events.sql")).await?;
    let writer = BinaryCopyInWriter::new(sink, &TYPES);
    pin_mut!(writer);
    for event in events {
        let row: [&(dyn tokio_postgres::types::ToSql + Sync); 17] = [
            &shard,
            &bigint(event.position),
            &event.event_id,
            &event.stream,
            &event.stream_kind,
            &event.version,
            &event.event_type,
            &event.schema_version,
            &TimestampUs(event.recorded_at_us),
            &event.effective_at_us.map(TimestampUs),
            &event.actor,
            &event.cause_id,
            &event.correlation_id,
            &event.platform,
            &JsonText(event.data.as_slice()),
            &event.sealed,
            &event.sealed_hash,
        ];
        writer.as_mut().write(&row).await?;
    }
    writer.finish().await?;
    Ok(())
}

async fn copy_commits(tx: &Transaction<'_>, shard: Shard, commits: &[RawCommit]) -> Result<(), Error> {
    const TYPES: [Type; 9] = [
        Type::INT2,
        Type::INT8,
        Type::UUID,
        Type::UUID,
        Type::INT8,
        Type::TIMESTAMPTZ,
        Type::BYTEA,
        Type::BYTEA,
        Type::BYTEA,
    ];
    let sink = tx.copy_in(include_str!("sql/copy_commits.sql")).await?;
    let writer = BinaryCopyInWriter::new(sink, &TYPES);
    pin_mut!(writer);
    for commit in commits {
        let row: [&(dyn tokio_postgres::types::ToSql + Sync); 9] = [
            &shard,
            &bigint(commit.commit_no),
            &commit.batch,
            &commit.writer,
            &bigint(commit.last_position),
            &TimestampUs(commit.recorded_at_us),
            &commit.root,
            &commit.signature,
            &commit.frontier,
        ];
        writer.as_mut().write(&row).await?;
    }
    writer.finish().await?;
    Ok(())
}
