//! `daybook shard`: the shards of a ledger, and which of them take new platforms.

mod add;
mod check;
mod list;

use daybook_engine::access::set_shard_open;
use daybook_log::postgres::PostgresLog;
use daybook_pg::{Pg, Role};
use serde_json::json;

use crate::config::{Database as Options, Shard};
use crate::database::Database;
use crate::error::Error;
use crate::out::{self, Output};
use crate::shards::require;

/// Runs the command.
///
/// # Errors
///
/// Fails if the database cannot be reached, there is no such shard, a shard may not be added, or one lacks something.
pub async fn run(command: Shard) -> Result<(), Error> {
    let (is_json, (record, text)) = match command {
        Shard::List { json, database } => (json, with_auditor(&database, list::list).await?),
        Shard::Add { count, json, database } => (json, add::add(count, &database).await?),
        Shard::Open { shard, json, database } => (json, set_open(shard, true, &database).await?),
        Shard::Close { shard, json, database } => (json, set_open(shard, false, &database).await?),
        Shard::Check { shard, json, database } => {
            let missing = with_auditor(&database, async |pg| check::missing(pg, shard).await).await?;
            let (record, text) = check::output(&missing);
            out::answer(json, &record, &text)?;
            return if missing.is_empty() { Ok(()) } else { Err(Error::Unbalanced("shards lack something")) };
        }
    };
    Ok(out::answer(is_json, &record, &text)?)
}

async fn with_auditor<T>(
    options: &Options,
    work: impl AsyncFnOnce(&Pg) -> Result<T, Error>,
) -> Result<T, Error> {
    let database = Database::open(options).await?;
    database.during(async |database: &Database| work(&database.pg.acting_as(Role::Auditor)).await).await
}

async fn set_open(shard: i16, is_open: bool, options: &Options) -> Result<Output, Error> {
    let work = async |database: &Database| {
        let pg = database.pg.acting_as(Role::Owner);
        require(shard, &PostgresLog::new(pg.clone()).shards().await?)?;
        Ok::<_, Error>(set_shard_open(&pg, shard, is_open).await?)
    };
    Database::open(options).await?.during(work).await?;
    let takes = if is_open { "takes new platforms" } else { "takes no new platforms" };
    Ok((json!({"shard": shard, "open": is_open}), format!("Shard {shard} {takes}.")))
}
