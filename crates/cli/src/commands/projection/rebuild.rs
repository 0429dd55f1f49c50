//! `projection rebuild`: builds the next version of a read model.

use std::time::Duration;

use daybook_log::Shard;
use daybook_pg::Causes;
use daybook_projector::{Model, Reads, Rebuild as Rebuilding, Version};
use serde_json::json;

use super::{list, with_reads};
use crate::config::Rebuild;
use crate::error::Error;
use crate::out;
use crate::progress::Progress;

/// Number of transient failures in a row after which the command gives up.
const MAX_FAILURES_IN_A_ROW: u32 = 30;
/// Pause after a transient failure.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// Builds the new version until it is projected together with the active one.
pub(super) async fn rebuild(options: &Rebuild) -> Result<(), Error> {
    let one = &options.one;
    with_reads(one, async |reads, shard| {
        if options.dry_run {
            return estimate(reads, shard, one.name, one.json).await;
        }
        let bytes = options.memory.saturating_mul(1 << 20);
        let rebuild = Rebuilding::begin(reads.versions(), shard, one.name, bytes).await?;
        let version = Box::pin(build(reads, shard, rebuild, one.json)).await?;
        let text = format!(
            "{version} is kept up to date beside the active version; compare: daybook projection diff {}",
            one.name
        );
        Ok(out::answer(one.json, &list::record(shard, &version), &text)?)
    })
    .await
    .map(drop)
}

/// Runs `work`, and repeats it while it fails with a transient error.
pub(crate) async fn patiently<T>(
    mut work: impl AsyncFnMut() -> Result<T, daybook_projector::RebuildError>,
) -> Result<T, Error> {
    let mut failures = 0;
    loop {
        match work().await {
            Ok(done) => return Ok(done),
            Err(error) if error.is_transient() && failures < MAX_FAILURES_IN_A_ROW => {
                failures += 1;
                tracing::warn!(error = %Causes(&error), "a step failed and is repeated");
                tokio::time::sleep(RETRY_INTERVAL).await;
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Runs all steps of a rebuild in a shard.
pub(crate) async fn build(
    reads: &Reads,
    shard: Shard,
    mut rebuild: Rebuilding,
    is_json: bool,
) -> Result<Version, Error> {
    let goal = reads.store().position(shard).await?;
    let progress = Progress::new("rebuild", Some(goal), is_json);
    progress.set(rebuild.version().position);
    while !rebuild.is_built() {
        let built = patiently(async || rebuild.step().await).await?;
        progress.set(built.version.position);
    }
    progress.finish();
    Ok(rebuild.version())
}

async fn estimate(reads: &Reads, shard: Shard, model: Model, is_json: bool) -> Result<(), Error> {
    let estimate = reads.versions().estimate(shard, model).await?;
    let record = json!({ "shard": shard, "events": estimate.events, "bytes": estimate.bytes });
    let mib = estimate.bytes >> 20;
    let text = format!("{model}: {} events to read, about {mib} MiB to write", estimate.events);
    Ok(out::answer(is_json, &record, &text)?)
}
