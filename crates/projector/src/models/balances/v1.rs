//! Fold 1: without the platform, and the number of entries is called `n`.

use super::Rows;
use crate::error::Error;
use crate::store::sql::{self, Target};

/// The table.
pub(super) const SCHEMA: &str = include_str!("schema.sql");

/// Writes a row for each account.
pub(super) async fn save(rows: &Rows<'_>, to: &Target<'_, '_>) -> Result<(), Error> {
    sql::write(to, include_str!("save.sql"), &rows.shared(), rows.accounts.len()).await
}
