//! Access to the tables of credentials, for commands that manage credentials.

use daybook_engine::{Access, Clock, Entropy};
use daybook_log::postgres::PostgresLog;
use daybook_pg::{Pg, Role};
use daybook_vault::Vault;

use crate::config;
use crate::database::Database;
use crate::error::Error;
use crate::keys::master_key;
use crate::shards::lowest;

/// Runs `work`, which creates a secret, on the access tables in the database of `options`. Migrates the schema first.
///
/// # Errors
///
/// Fails if the database or the master key is unavailable, or `work` fails.
pub(crate) async fn with<T>(
    options: &config::Database,
    work: impl AsyncFnOnce(Access) -> Result<T, Error>,
) -> Result<T, Error> {
    let master = master_key(options)?;
    let database = Database::prepare(options).await?;
    let on_access = async |database: &Database| {
        let pg = database.pg.acting_as(Role::App);
        let entropy = |bytes: &mut [u8]| Entropy.fill(bytes);
        let first = lowest(&PostgresLog::new(pg.clone()).shards().await?);
        let vault = Vault::open(pg.clone(), master, first, Clock.now().ms(), &entropy).await?;
        work(Access::new(pg, vault)).await
    };
    database.during(on_access).await
}

/// Runs `work`, which neither creates nor checks a secret, on the access tables. No key is needed.
///
/// # Errors
///
/// Fails if the database is unavailable, or `work` fails.
pub(crate) async fn without_keys<T>(
    options: &config::Database,
    work: impl AsyncFnOnce(&Pg) -> Result<T, Error>,
) -> Result<T, Error> {
    let database = Database::open(options).await?;
    database.during(async |database: &Database| work(&database.pg.acting_as(Role::App)).await).await
}
