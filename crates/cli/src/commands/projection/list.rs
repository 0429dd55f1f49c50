//! `projection list`.

use daybook_engine::SHARD;
use daybook_projector::{Stage, Version};
use serde_json::{Value, json};

use super::with_reads;
use crate::config::Database;
use crate::error::Error;

/// Prints every version that has tables, and where the read models stand.
pub(super) async fn list(is_json: bool, database: &Database) -> Result<(), Error> {
    let (position, mut versions) = with_reads(database, async |reads| {
        Ok((reads.store().position(SHARD).await?, reads.versions().all(SHARD).await?))
    })
    .await?;
    versions.retain(|version| version.stage != Stage::Dropped);
    if is_json {
        let versions: Vec<Value> = versions.iter().map(record).collect();
        println!("{}", json!({ "position": position, "versions": versions }));
        return Ok(());
    }
    println!("the read models stand at position {position}\n");
    println!("{:<14} {:>7} {:>5}  {:<8} compared", "read model", "version", "fold", "stage");
    for version in &versions {
        let Version { model, number, fold, stage, .. } = version;
        println!("{:<14} {number:>7} {fold:>5}  {stage:<8} {}", model.name(), note(version));
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
