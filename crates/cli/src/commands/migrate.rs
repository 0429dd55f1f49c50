//! `daybook migrate`: migrates the schema. Every start does this too; the command permits doing it separately.

use serde_json::json;

use crate::config::Migrate;
use crate::database::Database;
use crate::error::Error;
use crate::out;

/// Migrates the schema and ends.
///
/// # Errors
///
/// Fails if the database cannot be reached or its schema is newer than this binary.
pub async fn run(options: Migrate) -> Result<(), Error> {
    let database = Database::prepare(&options.database).await?;
    let (record, text) = (json!({"migration": daybook_pg::migrate::newest()}), "The schema is up to date.");
    database.during(async |_| Ok(out::answer(options.json, &record, text)?)).await
}
