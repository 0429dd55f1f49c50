//! Fills a read model that is new in a database with a past. The processes that want to read it fold the log into it
//! first. If such a process is killed, only the page that it was writing is lost.

use std::time::Duration;

use daybook_log::Shard;
use tokio::time::sleep;

use super::Rebuild;
use crate::error::Error;
use crate::store::Store;
use crate::store::version::{Stage, Version};

/// Approximate memory for a page of the log, in bytes.
const PAGE_MEMORY_BYTES: u64 = 64 << 20;
/// Maximum number of consecutive transient failures of a step, for example because another process writes the same
/// page.
const MAX_FAILURES_IN_A_ROW: u32 = 30;
/// Time to wait after such a failure.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// Returns the versions that are built to become active because their read model has no active version.
pub(crate) fn unfilled(versions: &[Version]) -> Vec<Version> {
    let is_read = |of: &Version| {
        versions.iter().any(|version| version.model == of.model && version.stage == Stage::Active)
    };
    let mut unfilled = versions.to_vec();
    unfilled.retain(|version| version.stage.is_building() && !version.is_scratch && !is_read(version));
    unfilled
}

/// Folds the log into `version` until it reaches the cursor and becomes active.
///
/// # Errors
///
/// [`Error`]. A repeated call continues at the last page that was written.
pub(crate) async fn fill(store: &Store, shard: Shard, version: Version) -> Result<(), Error> {
    let mut rebuild = Rebuild::of(store.clone(), shard, version, PAGE_MEMORY_BYTES);
    let mut failures = 0;
    while !rebuild.is_built() {
        let position = rebuild.version().position;
        match rebuild.advance().await {
            Ok(built) => {
                failures = 0;
                tracing::info!(version = %built.version, position, goal = built.goal, "a new read model is filled");
            }
            Err(error) if error.is_transient() && failures < MAX_FAILURES_IN_A_ROW => {
                failures += 1;
                sleep(RETRY_INTERVAL).await;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
