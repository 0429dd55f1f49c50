//! Reads stored values of many lists with one query.

use tokio_postgres::Row;
use uuid::Uuid;

use super::lists::List;
use crate::error::Error;
use crate::store::sql::{self, Target};

/// Returns the values of the lists `of` that `sql` finds; lists without a row are left out. The parameters of `sql` are
/// the shard and two columns of lists. It returns the place of a list among them, counted from 1, and the columns that
/// `read` reads.
pub(crate) async fn stored<T>(
    to: &Target<'_, '_>,
    sql: &str,
    of: &[List],
    read: impl Fn(&Row) -> Result<T, Error>,
) -> Result<Vec<(List, T)>, Error> {
    if of.is_empty() {
        return Ok(vec![]);
    }
    let (lists, kinds) = columns(of);
    let statement = to.tx.prepare_cached(&to.tables.sql(sql)).await?;
    let rows = to.tx.query(&statement, &[&to.shard, &lists, &kinds]).await?;
    let found = |row: &Row| {
        let place = usize::try_from(sql::to_u64(row.try_get(0)?)).ok();
        let list = place.and_then(|place| of.get(place.checked_sub(1)?));
        list.map(|list| Ok((*list, read(row)?))).transpose()
    };
    rows.iter().filter_map(|row| found(row).transpose()).collect()
}

/// Returns lists as two columns: owner and kind.
pub(crate) fn columns<'a>(lists: impl IntoIterator<Item = &'a List>) -> (Vec<Uuid>, Vec<i16>) {
    lists.into_iter().map(|list| (Uuid::from_u128(list.of), list.kind.code())).unzip()
}
