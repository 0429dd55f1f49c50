//! To-dos: what the processes have to do, as the domain tells it from a state; gone when the state no longer says so.

mod v1;

use daybook_domain::Timestamp;
use daybook_domain::process::Process;
use daybook_log::Shard;
use daybook_pg::Transaction;
use daybook_pg::types::TimestampMs;
use uuid::Uuid;
pub(crate) use v1::ToDos;

use crate::error::Error;

/// The table.
pub(crate) const SCHEMA: &str = include_str!("schema.sql");

/// Something that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// The aggregate that it is to be done to.
    pub id: u128,
    /// Since when.
    pub due_at: Timestamp,
    /// Which step, in the process's own numbering.
    pub step: i16,
}

/// A place in the order in which things are due: the moment, then the id.
pub type Place = (Timestamp, u128);

/// Takes at most `limit` that are due and come after a place.
pub(crate) async fn due(
    tx: &Transaction<'_>,
    shard: Shard,
    process: Process,
    now: Timestamp,
    (after, after_id): Place,
    limit: u16,
) -> Result<Vec<Due>, Error> {
    let (now, after, after_id) = (TimestampMs(now.ms()), TimestampMs(after.ms()), Uuid::from_u128(after_id));
    let statement = tx.prepare_cached(include_str!("due.sql")).await?;
    let rows =
        tx.query(&statement, &[&shard, &process.code(), &now, &after, &after_id, &i64::from(limit)]).await?;
    let parse = |row: &tokio_postgres::Row| {
        Ok(Due {
            id: row.try_get::<_, Uuid>(0)?.as_u128(),
            due_at: Timestamp::from_ms(row.try_get::<_, TimestampMs>(1)?.0),
            step: row.try_get(2)?,
        })
    };
    rows.iter().map(parse).collect()
}
