//! The access tables, for commands that manage credentials.

use daybook_engine::{Access, Clock, Entropy, SHARD};
use daybook_pg::{Pg, Role};
use daybook_vault::Vault;

use crate::config;
use crate::database::Database;
use crate::error::Error;
use crate::keys::master_key;

/// Does `work` on the access tables of the database of `options`.
///
/// # Errors
///
/// If the database or the master key cannot be had, or `work` fails.
pub(crate) async fn with<T>(
    options: &config::Database,
    work: impl AsyncFnOnce(Access) -> Result<T, Error>,
) -> Result<T, Error> {
    let database = Database::open(options).await?;
    let done = match master_key(options) {
        Ok(master) => {
            let pg = database.pg.acting_as(Role::App);
            let entropy = |bytes: &mut [u8]| Entropy.fill(bytes);
            match Vault::open(pg.clone(), master, SHARD, Clock.now().ms(), &entropy).await {
                Ok(vault) => work(Access::new(pg, vault)).await,
                Err(error) => Err(error.into()),
            }
        }
        Err(error) => Err(error),
    };
    database.leave().await?;
    done
}

/// Does `work` on them that needs no key: it makes and checks no secret.
///
/// # Errors
///
/// If the database cannot be had, or `work` fails.
pub(crate) async fn without_keys<T>(
    options: &config::Database,
    work: impl AsyncFnOnce(&Pg) -> Result<T, Error>,
) -> Result<T, Error> {
    let database = Database::open(options).await?;
    let done = work(&database.pg.acting_as(Role::App)).await;
    database.leave().await?;
    done
}
