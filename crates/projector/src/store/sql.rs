//! Execution of statements: they are prepared once per connection, and the numbers of their rows are checked.

use daybook_log::Shard;
use daybook_pg::Transaction;
use tokio_postgres::types::{ToSql, Type};

use crate::error::Error;
use crate::store::copy::Copying;
use crate::store::version::Tables;

/// Parameters of a query.
pub(crate) type Params<'a> = [&'a (dyn ToSql + Sync)];

/// Rows to be written, column by column, in the order of the statement's parameters after the shard.
pub(crate) type Columns<'a> = [&'a dyn Column];

/// One column of rows to be written.
pub(crate) trait Column: ToSql + Sync {
    /// Returns the value in `row`, which must exist.
    fn cell(&self, row: usize) -> &(dyn ToSql + Sync);
}

impl<T: ToSql + Sync> Column for Vec<T> {
    fn cell(&self, row: usize) -> &(dyn ToSql + Sync) {
        &self[row]
    }
}

/// Destination of rows.
pub(crate) struct Target<'a, 'tx> {
    /// The database transaction.
    pub(crate) tx: &'a Transaction<'tx>,
    /// The shard of the rows.
    pub(crate) shard: Shard,
    /// The versions of the tables.
    pub(crate) tables: &'a Tables,
    /// True if there are so many new rows that COPY is used instead of INSERT.
    pub(crate) is_bulk: bool,
}

/// Runs a statement that writes exactly `expected` rows.
///
/// Several calls that are polled together are pipelined: a connection that knows a text needs no round trip to prepare
/// it.
pub(crate) async fn write(
    to: &Target<'_, '_>,
    sql: &str,
    columns: &Columns<'_>,
    expected: usize,
) -> Result<(), Error> {
    if expected == 0 {
        return Ok(());
    }
    let mut params: Vec<&(dyn ToSql + Sync)> = Vec::with_capacity(columns.len() + 1);
    params.push(&to.shard);
    params.extend(columns.iter().map(|column| *column as &(dyn ToSql + Sync)));
    let statement = to.tx.prepare_cached(&to.tables.sql(sql)).await?;
    let found = to.tx.execute(&statement, &params).await?;
    check(to.shard, expected, found)
}

/// Writes rows that do not exist yet. In bulk it uses COPY into the table of the `insert` in `sql`.
///
/// The `on conflict` clause of `sql` is left out: the check for existing rows adds half to the cost of a row.
pub(crate) async fn insert(
    to: &Target<'_, '_>,
    sql: &str,
    columns: &Columns<'_>,
    expected: usize,
) -> Result<(), Error> {
    let sql = sql.split_once("on conflict").map_or(sql, |(insert, _)| insert);
    if !to.is_bulk || expected == 0 {
        return write(to, sql, columns, expected).await;
    }
    let Some(into) = sql.split_once("insert into ").and_then(|(_, rest)| rest.split_once(')')) else {
        return write(to, sql, columns, expected).await;
    };
    let into = to.tables.sql(into.0);
    let (table, names) = into.split_once('(').unwrap_or((&into, ""));
    let described = to.tx.prepare_cached(&format!("select {names} from {table} limit 0")).await?;
    let types: Vec<Type> = described.columns().iter().map(|column| column.type_().clone()).collect();
    let copy = to.tx.prepare_cached(&format!("copy {into}) from stdin (format binary)")).await?;
    let mut copying = Copying::into(to.tx.copy_in(&copy).await?, &types);
    let shard: &(dyn ToSql + Sync) = &to.shard;
    for row in 0..expected {
        copying.row([shard].into_iter().chain(columns.iter().map(|column| column.cell(row)))).await?;
    }
    check(to.shard, expected, copying.finish().await?)
}

fn check(shard: Shard, expected: usize, found: u64) -> Result<(), Error> {
    let expected = expected as u64;
    if found == expected { Ok(()) } else { Err(Error::RowCount { shard, expected, found }) }
}

/// Converts a position, count or version to the type of the database. No log grows beyond 2⁶³.
pub(crate) fn to_i64(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Converts a number that the database stores as signed and that is never negative.
pub(crate) fn to_u64(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

/// Converts a version to the type of the database; the log stores versions as `int`.
pub(crate) fn to_i32(version: u32) -> i32 {
    i32::try_from(version).unwrap_or(i32::MAX)
}

/// Converts a version that the database stores as signed and that is never negative.
pub(crate) fn to_u32(version: i32) -> u32 {
    u32::try_from(version).unwrap_or_default()
}
