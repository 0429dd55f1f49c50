//! Filling: a read model that is new in a database that has a past. It is made of the log before anybody reads it, by
//! whichever processes begin to read; to be killed costs the page that was being written.

use std::time::Duration;

use daybook_log::Shard;
use tokio::time::sleep;

use super::Rebuild;
use crate::error::Error;
use crate::store::Store;
use crate::store::version::{Stage, Version};

/// About how many bytes a page of the log may take.
const MEMORY: u64 = 64 << 20;
/// How often in a row a step may fail for a reason that passes by itself: another process writes the same page.
const PATIENCE: u32 = 30;
/// How long to wait then.
const PAUSE: Duration = Duration::from_secs(1);

/// Those of `versions` that are made to be read, because no other of their read model is.
pub(crate) fn unfilled(versions: &[Version]) -> Vec<Version> {
    let is_read = |of: &Version| {
        versions.iter().any(|version| version.model == of.model && version.stage == Stage::Active)
    };
    let mut unfilled = versions.to_vec();
    unfilled.retain(|version| version.stage.is_building() && !version.is_scratch && !is_read(version));
    unfilled
}

/// Brings `version` to where the read models stand, from where on it is read.
///
/// # Errors
///
/// [`Error`]; whoever does it again goes on where it stopped.
pub(crate) async fn fill(store: &Store, shard: Shard, version: Version) -> Result<(), Error> {
    let mut rebuild = Rebuild::of(store.clone(), shard, version, MEMORY);
    let mut failures = 0;
    while !rebuild.is_built() {
        let position = rebuild.version().position;
        match rebuild.advance().await {
            Ok(built) => {
                failures = 0;
                tracing::info!(version = %built.version, position, goal = built.goal, "a new read model is filled");
            }
            Err(error) if error.is_transient() && failures < PATIENCE => {
                failures += 1;
                sleep(PAUSE).await;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
