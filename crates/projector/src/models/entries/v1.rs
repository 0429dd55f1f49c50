//! Fold 1: one row per entry.

use daybook_pg::types::TimestampMs;
use uuid::Uuid;

use super::Row;
use crate::error::Error;
use crate::store::sql::{self, Target};

/// Statements that create the table.
pub(super) const SCHEMA: &str = include_str!("v1/schema.sql");

/// Writes one row per entry.
pub(super) async fn save(rows: &[Row], to: &Target<'_, '_>) -> Result<(), Error> {
    let amount = |place: usize| -> Vec<i64> { rows.iter().map(|row| row.amounts[place]).collect() };
    let columns: &sql::Columns<'_> = &[
        &rows.iter().map(|row| Uuid::from_u128(row.account)).collect::<Vec<_>>(),
        &rows.iter().map(|row| sql::to_i32(row.n)).collect::<Vec<_>>(),
        &rows.iter().map(|row| sql::to_i64(row.position)).collect::<Vec<_>>(),
        &rows.iter().map(|row| Uuid::from_u128(row.cause)).collect::<Vec<_>>(),
        &amount(0),
        &amount(1),
        &amount(2),
        &amount(3),
        &amount(4),
        &amount(5),
        &rows.iter().map(|row| TimestampMs(row.recorded_at.ms())).collect::<Vec<_>>(),
    ];
    sql::insert(to, include_str!("v1/insert.sql"), columns, rows.len()).await
}
