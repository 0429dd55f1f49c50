//! Fold 2: one row for every sixteenth entry of an account, beginning with the first.

use uuid::Uuid;

use super::{Row, STRIDE};
use crate::error::Error;
use crate::store::sql::{self, Target};

/// Statements that create the table.
pub(super) const SCHEMA: &str = include_str!("v2/schema.sql");

/// Writes a row for each entry at which a search can start.
pub(super) async fn save(rows: &[Row], to: &Target<'_, '_>) -> Result<(), Error> {
    let kept = || rows.iter().filter(|row| row.n % STRIDE == 1);
    let accounts: Vec<_> = kept().map(|row| Uuid::from_u128(row.account)).collect();
    let numbers: Vec<_> = kept().map(|row| sql::to_i32(row.n)).collect();
    let positions: Vec<_> = kept().map(|row| sql::to_i64(row.position)).collect();
    let columns: &sql::Columns<'_> = &[&accounts, &numbers, &positions];
    sql::insert(to, include_str!("v2/insert.sql"), columns, accounts.len()).await
}
