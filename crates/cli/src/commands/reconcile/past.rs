//! Reconciliation at a past moment: the log is folded up to it, and compared with the answers of queries about it.

use std::time::Duration;

use daybook_api::wire::moment;
use daybook_log::Shard;
use daybook_projector::{Comparison, Model, Reads, Rebuild, Until};

use super::report::Report;
use super::usage;
use crate::commands::projection::rebuild;
use crate::config::Reconciliation;
use crate::error::Error;
use crate::progress::Progress;

/// Time to wait until the read models reach the position.
const CATCH_UP_TIMEOUT: Duration = Duration::from_mins(5);
/// Read models from which the ledger's sums are computed.
const BOOKS: [Model; 3] = [Model::ENTRIES, Model::BALANCES, Model::NODES];

/// Compares those of `models` of a shard that answer queries about the past.
pub(super) async fn compare(
    reads: &Reads,
    shard: Shard,
    until: Until,
    (models, options): (&[Model], &Reconciliation),
    report: &mut Report,
) -> Result<(), Error> {
    let at = reads.aggregates().position_until(shard, until).await?.ok_or_else(|| usage(moment::beyond()))?;
    let cursor = reads.store().caught_up(shard, at, CATCH_UP_TIMEOUT).await?;
    if cursor < at {
        return Err(daybook_projector::Error::Behind { cursor, position: at }.into());
    }
    let memory = options.memory.saturating_mul(1 << 20);
    let is_asked = |model: &Model| models.contains(model);
    let for_books = is_asked(&Model::LEDGER);
    let mut books = vec![];
    for model in Model::ALL.into_iter().filter(|model| model.tells_past() && *model != Model::LEDGER) {
        let is_for_books = for_books && BOOKS.contains(&model);
        if !is_asked(&model) && !is_for_books {
            continue;
        }
        let begun = Rebuild::scratch(reads.versions(), shard, model, memory, Some(at)).await?;
        let scratch = rebuild::build(reads, shard, begun, options.json).await?;
        if is_for_books {
            books.push(scratch);
        }
        if is_asked(&model) {
            let progress = Progress::of_rows("compare", options.json);
            let tell = |rows| progress.set(rows);
            let compared =
                Box::pin(reads.comparisons().compare_past(shard, &scratch, at, options.limit, tell)).await?;
            progress.finish();
            report.compared(shard, &compared, options.json)?;
        }
    }
    if for_books {
        let table = reads.comparisons().check_books(shard, &books, at).await?;
        let active = reads.versions().active(shard, Model::LEDGER).await?;
        let compared = Comparison { old: active, new: active, tables: vec![table], positions: (at, at) };
        report.compared(shard, &compared, options.json)?;
    }
    Ok(())
}
