//! Fold 2: with the platform. The number of entries is in the column `entries`.

use super::Rows;
use crate::error::Error;
use crate::store::sql::{self, Target};

/// Statements that create the table.
pub(super) const SCHEMA: &str = include_str!("v2/schema.sql");

/// Writes one row per account.
pub(super) async fn save(rows: &Rows<'_>, to: &Target<'_, '_>) -> Result<(), Error> {
    let [accounts, others @ ..] = rows.shared();
    let columns: Vec<_> = [accounts, &rows.platforms].into_iter().chain(others).collect();
    sql::write(to, include_str!("v2/save.sql"), &columns, rows.accounts.len()).await
}
