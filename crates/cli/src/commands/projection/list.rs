//! `projection list`: versions of read models.

use std::sync::Arc;

use daybook_log::Shard;
use daybook_log::postgres::PostgresLog;
use daybook_pg::Role;
use daybook_projector::{Reads, Stage, Version};
use serde_json::{Value, json};

use crate::config::{self, ShardOption};
use crate::database::Database;
use crate::error::Error;
use crate::shards::{chosen, print_heading};

/// Prints every version that has tables, and the position of the read models, of each shard.
pub(super) async fn list(of: ShardOption, is_json: bool, database: &config::Database) -> Result<(), Error> {
    let database = Database::open(database).await?;
    let read = async |database: &Database| {
        // The auditor's role may read it as well, because nothing is written.
        let pg = database.pg.acting_as_first_of(&[Role::Projector, Role::Auditor]).await?;
        let log = PostgresLog::new(pg.clone());
        let shards = chosen(&log, of.shard).await?;
        let reads = Reads::new(pg, Arc::new(log));
        let mut found = vec![];
        for shard in shards {
            found.push((shard, reads.store().position(shard).await?, reads.versions().all(shard).await?));
        }
        Ok::<_, Error>(found)
    };
    let found = database.during(read).await?;
    let shards: Vec<Shard> = found.iter().map(|(shard, ..)| *shard).collect();
    for (shard, position, versions) in found {
        print_heading(&shards, shard, is_json)?;
        print(shard, position, versions, is_json)?;
    }
    Ok(())
}

fn print(shard: Shard, position: u64, mut versions: Vec<Version>, is_json: bool) -> Result<(), Error> {
    versions.retain(|version| version.stage != Stage::Dropped);
    if is_json {
        let versions: Vec<Value> = versions.iter().map(|version| record(shard, version)).collect();
        crate::say!("{}", json!({ "shard": shard, "position": position, "versions": versions }))?;
        return Ok(());
    }
    crate::say!("the read models stand at position {position}\n")?;
    crate::say!("{:<14} {:>7} {:>5}  {:<8} compared", "read model", "version", "fold", "stage")?;
    for version in &versions {
        let Version { model, number, fold, stage, .. } = version;
        crate::say!("{:<14} {number:>7} {fold:>5}  {stage:<8} {}", model.name(), note(version))?;
    }
    Ok(())
}

/// A version as JSON.
pub(super) fn record(shard: Shard, version: &Version) -> Value {
    json!({
        "shard": shard,
        "name": version.model.name(),
        "version": version.number,
        "fold": version.fold,
        "stage": version.stage.as_str(),
        "position": version.stage.is_building().then_some(version.position),
        "is_scratch": version.is_scratch,
        "compared": version.compared.map(|(at, rows)| json!({ "position": at, "differing_rows": rows })),
    })
}

fn note(version: &Version) -> String {
    match version.compared {
        _ if version.is_scratch => "scratch of a reconciliation".to_owned(),
        Some((at, 0)) => format!("the same at {at}"),
        Some((at, rows)) => format!("{rows} rows differed at {at}"),
        None if version.stage.is_building() => format!("at position {}", version.position),
        None => String::new(),
    }
}
