//! `projection rebuild`.

use std::time::Duration;

use daybook_engine::SHARD;
use daybook_projector::{Built, Model, Reads, Rebuild as Rebuilding};
use serde_json::json;

use super::{list, with_reads};
use crate::commands::Error;
use crate::config::Rebuild;
use crate::progress::Progress;

/// How often in a row a step may fail for a reason that passes by itself.
const PATIENCE: u32 = 30;
/// How long to wait then.
const PAUSE: Duration = Duration::from_secs(1);

/// Builds until the new version is fed together with the one that is read.
pub(super) async fn rebuild(options: &Rebuild) -> Result<(), Error> {
    let one = &options.one;
    with_reads(&one.database, async |reads| {
        if options.dry_run {
            return estimate(&reads, one.name, one.json).await;
        }
        let bytes = options.memory.saturating_mul(1 << 20);
        let built = build(&reads, one.name, bytes, one.json).await?;
        if one.json {
            println!("{}", list::record(&built.version));
        } else {
            println!(
                "{} is fed beside what is read; compare: daybook projection diff {}",
                built.version, one.name
            );
        }
        Ok(())
    })
    .await
}

async fn build(reads: &Reads, model: Model, memory: u64, is_json: bool) -> Result<Built, Error> {
    let goal = reads.position(SHARD).await?;
    let mut rebuild = Rebuilding::begin(reads.clone(), SHARD, model, memory).await?;
    let progress = Progress::new("rebuild", Some(goal), is_json);
    progress.set(rebuild.version().position);
    let mut failures = 0;
    loop {
        match rebuild.step().await {
            Ok(built) if !built.version.stage.is_building() => {
                progress.finish();
                return Ok(built);
            }
            Ok(built) => {
                failures = 0;
                progress.set(built.version.position);
            }
            Err(error) if error.is_transient() && failures < PATIENCE => {
                failures += 1;
                tracing::warn!(error = &error as &dyn std::error::Error, "a step is done again");
                tokio::time::sleep(PAUSE).await;
            }
            Err(error) => return Err(error.into()),
        }
    }
}

async fn estimate(reads: &Reads, model: Model, is_json: bool) -> Result<(), Error> {
    let estimate = reads.estimate(SHARD, model).await?;
    if is_json {
        println!("{}", json!({ "events": estimate.events, "bytes": estimate.bytes }));
    } else {
        println!("{model}: {} events to read, about {} MiB to write", estimate.events, estimate.bytes >> 20);
    }
    Ok(())
}
