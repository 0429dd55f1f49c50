//! Fold 1: without the platform. The number of entries is in the column `n`.

use super::Rows;
use crate::error::Error;
use crate::store::sql::{self, Target};

/// Statements that create the table.
pub(super) const SCHEMA: &str = include_str!("schema.sql");

/// Writes one row per account.
pub(super) async fn save(rows: &Rows<'_>, to: &Target<'_, '_>) -> Result<(), Error> {
    sql::write(to, include_str!("save.sql"), &rows.shared(), rows.accounts.len()).await
}
