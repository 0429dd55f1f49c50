//! Statements: prepared once per connection, their row counts checked, their numbers converted.

use daybook_log::Shard;
use daybook_pg::Transaction;
use tokio_postgres::types::ToSql;

use crate::error::Error;

/// Parameters of a statement.
pub(crate) type Params<'a> = [&'a (dyn ToSql + Sync)];

/// Runs a statement that writes one row for each of `expected`.
///
/// Several of these, polled together, travel in one flight: preparing sends nothing once a connection knows the text.
pub(crate) async fn write(
    tx: &Transaction<'_>,
    sql: &str,
    shard: Shard,
    params: &Params<'_>,
    expected: usize,
) -> Result<(), Error> {
    if expected == 0 {
        return Ok(());
    }
    let statement = tx.prepare_cached(sql).await?;
    let found = tx.execute(&statement, params).await?;
    let expected = expected as u64;
    if found == expected { Ok(()) } else { Err(Error::RowCount { shard, expected, found }) }
}

/// A position, count or version as the database keeps it. No log grows beyond 2⁶³.
pub(crate) fn to_i64(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A number that the database keeps signed and that is never negative.
pub(crate) fn to_u64(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

/// A version as the database keeps it; the log holds them as `int`.
pub(crate) fn to_i32(version: u32) -> i32 {
    i32::try_from(version).unwrap_or(i32::MAX)
}

/// A version that the database keeps signed and that is never negative.
pub(crate) fn to_u32(version: i32) -> u32 {
    u32::try_from(version).unwrap_or_default()
}
