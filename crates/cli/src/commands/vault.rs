//! `daybook vault`: replaces the master key while the service runs.

use daybook_engine::{Clock, Entropy};
use daybook_log::postgres::PostgresLog;
use daybook_pg::{Pg, Role};
use daybook_vault::rewrap::START;
use daybook_vault::{MasterKey, MasterKeys, Vault};

use serde_json::json;

use crate::config::{Database as Options, Vault as Command};
use crate::database::Database;
use crate::error::Error;
use crate::keys::master_key;
use crate::out;
use crate::shards::lowest;

/// Runs the command.
///
/// # Errors
///
/// Fails if the database cannot be reached, or a key is wrapped under neither master key.
pub async fn run(command: Command) -> Result<(), Error> {
    let Command::Rotate { new_master_key, json, database: options } = command;
    let masters = masters(&options, &new_master_key)?;
    let database = Database::open(&options).await?;
    database.during(async |database| rotate(&database.pg.acting_as(Role::Owner), masters, json).await).await
}

/// The new master key, followed by the old ones.
fn masters(options: &Options, new: &std::path::Path) -> Result<MasterKeys, Error> {
    let before = master_key(options)?;
    let new = MasterKey::load(new)?;
    Ok(before.behind(new))
}

/// Rewraps the keys in passes, until a pass finds nothing to do: new users may get keys under the old master key
/// meanwhile.
async fn rotate(pg: &Pg, masters: MasterKeys, is_json: bool) -> Result<(), Error> {
    let entropy = |bytes: &mut [u8]| Entropy.fill(bytes);
    let shards = PostgresLog::new(pg.clone()).shards().await?;
    let vault = Vault::open(pg.clone(), masters, lowest(&shards), Clock.now().ms(), &entropy).await?;
    let derived = vault.rewrap_derived(&entropy).await?;
    let mut total = 0;
    loop {
        let (mut seen, mut changed) = (0, 0);
        for shard in &shards {
            let mut place = Some(START);
            while let Some(after) = place {
                let batch = vault.rewrap(*shard, after, &entropy).await?;
                (seen, changed, place) = (seen + batch.seen, changed + batch.changed, batch.next);
                if batch.changed > 0 {
                    crate::tell!("{seen} data keys seen, {changed} wrapped again");
                }
            }
        }
        total += changed;
        if changed == 0 {
            let record =
                json!({"data_keys": seen, "wrapped_again": total, "derived_keys_wrapped_again": derived});
            let text = format!(
                "All {seen} data keys and the keys of hashes and tokens are wrapped under the new master key; {total} and \
                 {derived} of them were wrapped again just now."
            );
            return Ok(out::answer(is_json, &record, &text)?);
        }
    }
}
