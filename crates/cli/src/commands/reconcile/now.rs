//! Reconciliation of the present. Each read model is folded again into a scratch version. The scratch version is
//! projected together with the active one until both have the same position; then it is compared and dropped.

use std::time::Duration;

use daybook_log::Shard;
use daybook_projector::{Model, Reads, Rebuild};

use super::report::Report;
use crate::commands::projection::rebuild;
use crate::config::Reconciliation;
use crate::error::Error;
use crate::progress::Progress;

/// Time to wait until the read models reach the position at which the log ended when the command began.
const CATCH_UP_TIMEOUT: Duration = Duration::from_secs(30);

/// Compares one read model of a shard after the other, so that there is at most one scratch version at a time.
pub(super) async fn compare(
    reads: &Reads,
    shard: Shard,
    (models, options): (&[Model], &Reconciliation),
    report: &mut Report,
) -> Result<(), Error> {
    let memory = options.memory.saturating_mul(1 << 20);
    let head = reads.aggregates().head(shard).await?;
    let cursor = reads.store().caught_up(shard, head, CATCH_UP_TIMEOUT).await?;
    if cursor < head {
        // Read models that make no progress would be compared at an old position and found equal.
        let what = format!("the read models stand at position {cursor}, the log ends at {head}");
        return Err(Error::Unverified(what));
    }
    for model in models {
        let begun = Rebuild::scratch(reads.versions(), shard, *model, memory, None).await?;
        let scratch = rebuild::build(reads, shard, begun, options.json).await?;
        let compared = rebuild::patiently(async || {
            let progress = Progress::of_rows("compare", options.json);
            let tell = |rows| progress.set(rows);
            let compared = reads.comparisons().compare_scratch(shard, &scratch, options.limit, tell).await?;
            progress.finish();
            Ok(compared)
        })
        .await?;
        report.compared(shard, &compared, options.json)?;
        reads.versions().drop_scratch(shard).await?;
    }
    Ok(())
}
