//! `projection list`: versions of read models.

use std::sync::Arc;

use daybook_engine::SHARD;
use daybook_log::postgres::PostgresLog;
use daybook_pg::Role;
use daybook_projector::{Reads, Stage, Version};
use serde_json::{Value, json};

use crate::config;
use crate::database::Database;
use crate::error::Error;

/// Prints every version that has tables, and the position of the read models.
pub(super) async fn list(is_json: bool, database: &config::Database) -> Result<(), Error> {
    let database = Database::open(database).await?;
    let read = async |database: &Database| {
        // The auditor's role may read it as well, because nothing is written.
        let pg = database.pg.acting_as_first_of(&[Role::Projector, Role::Auditor]).await?;
        let reads = Reads::new(pg.clone(), Arc::new(PostgresLog::new(pg)));
        Ok::<_, Error>((reads.store().position(SHARD).await?, reads.versions().all(SHARD).await?))
    };
    let (position, mut versions) = database.during(read).await?;
    versions.retain(|version| version.stage != Stage::Dropped);
    if is_json {
        let versions: Vec<Value> = versions.iter().map(record).collect();
        crate::say!("{}", json!({ "position": position, "versions": versions }))?;
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
pub(super) fn record(version: &Version) -> Value {
    json!({
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
