//! Addition of shards.

use daybook_engine::{Clock, Entropy};
use daybook_log::postgres::{MAX_SHARDS, PostgresLog, add_shard};
use daybook_log::{FIRST_SHARD, Signers};
use daybook_pg::{Error as PgError, Pg, Role};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::config;
use crate::database::{Database, make_tables};
use crate::error::Error;
use crate::keys::Keys;
use crate::out::Output;

/// Adds `count` shards.
///
/// # Errors
///
/// Fails before anything is written if the signing key has no origin for a further shard, there would be more than
/// [`MAX_SHARDS`], or a process of a release with one shard is running.
pub(super) async fn add(count: u8, options: &config::Database) -> Result<Output, Error> {
    let database = Database::prepare(options).await?;
    let work = async |database: &Database| {
        let keys = Keys::of(options, &database.pg).await?;
        add_to(count, &database.pg, &keys.signers).await
    };
    let added = database.during(work).await?;
    let record: Vec<Value> =
        added.iter().map(|(shard, origin)| json!({"shard": shard, "origin": origin})).collect();
    let lines: Vec<String> =
        added.iter().map(|(shard, origin)| format!("shard {shard}   {origin}")).collect();
    Ok((record.into(), lines.join("\n")))
}

/// Adds shards and returns the number and the origin of each.
async fn add_to(count: u8, pg: &Pg, signers: &Signers) -> Result<Vec<(i16, String)>, Error> {
    let log = PostgresLog::new(pg.acting_as(Role::App));
    let known = log.shards().await?;
    if known.len() + usize::from(count) > usize::from(MAX_SHARDS.unsigned_abs()) {
        let text = format!("a ledger has at most {MAX_SHARDS} shards, and this one has {}", known.len());
        return Err(Error::Usage(text));
    }
    // Any number will do: an origin is that of every shard, or of the first one only.
    signers.of(FIRST_SHARD + 1).map_err(|error| Error::Usage(error.to_string()))?;
    let now_ms = Clock.now().ms();
    // A key of another log is refused before a shard gets its origin.
    log.register_keys(FIRST_SHARD, &signers.keys(), now_ms).await?;
    refuse_old_processes(pg).await?;
    let mut added = vec![];
    for _ in 0..count {
        let log_id = Uuid::from_bytes(Entropy.bytes());
        let shard = add_shard(pg, log_id)
            .await?
            .ok_or_else(|| Error::Usage(format!("a ledger has at most {MAX_SHARDS} shards")))?;
        let own = signers.of(shard).map_err(daybook_log::Error::from)?;
        // A start completes both if this process ends here.
        log.register_keys(shard, &own.keys(), now_ms).await?;
        make_tables(pg, &[shard]).await?;
        added.push((shard, own.newest.key().name().to_owned()));
    }
    Ok(added)
}

/// Fails if a process of a release that knows one shard uses the database: it would write the events of every platform
/// to shard 1.
async fn refuse_old_processes(pg: &Pg) -> Result<(), Error> {
    let client = pg.of(FIRST_SHARD).acting_as(Role::Auditor).client().await?;
    let statement =
        client.prepare_cached(include_str!("sql/old_processes.sql")).await.map_err(PgError::from)?;
    let row = client.query_one(&statement, &[&FIRST_SHARD]).await.map_err(PgError::from)?;
    let count: i64 = row.try_get("count").map_err(PgError::from)?;
    if count == 0 {
        return Ok(());
    }
    let text = format!(
        "{count} processes of an earlier release, which knows one shard only, use this database: restart them with this \
         release, and repeat the command after 30 seconds"
    );
    Err(Error::Usage(text))
}
