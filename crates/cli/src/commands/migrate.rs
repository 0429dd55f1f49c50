//! `daybook migrate`: brings the schema up to date. Every start does so, too; this is for those who want it apart.

use crate::config;
use crate::database::Database;
use crate::error::Error;

/// Migrates and stops.
///
/// # Errors
///
/// If the database cannot be reached or its schema is newer than this binary.
pub async fn run(options: config::Database) -> Result<(), Error> {
    let database = Database::open(&options).await?;
    println!("The schema is up to date.");
    database.leave().await
}
