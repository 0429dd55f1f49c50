//! Reads columns of rows that several queries have in common.

use daybook_domain::Currency;
use tokio_postgres::Row;
use uuid::Uuid;

use crate::error::Error;

/// Returns the id in `column`.
pub(super) fn id(row: &Row, column: usize) -> Result<u128, Error> {
    Ok(row.try_get::<_, Uuid>(column)?.as_u128())
}

/// Returns the currency in `column` of a row of `table`.
pub(super) fn currency(row: &Row, column: usize, table: &'static str) -> Result<Currency, Error> {
    Currency::parse(row.try_get(column)?).ok_or(Error::Misread { table })
}
