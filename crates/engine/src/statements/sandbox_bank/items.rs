//! Items that the sandbox's bank can state: open items as the bank knows them, by trace number and by file.

use std::collections::BTreeSet;

use daybook_domain::calendar::Day;
use daybook_domain::posting::{LedgerAccount, Rail};
use daybook_domain::{CustodyId, FileId, Key, PlatformId, StatementId};
use daybook_log::Shard;
use daybook_projector::OpenItemRow;

use super::accepted;
use crate::access::PlatformRecord;
use crate::engine::Engine;
use crate::ops::{OpsError, trace};
use crate::rails::ach::reference_code;
use crate::statements::entries::entry_of;

/// An item as the bank knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// The item.
    pub(crate) row: OpenItemRow,
    /// Reference by which the intake matches the item: the trace number of its entry, or the id of its transaction.
    pub(super) reference: String,
    /// ACH file in which it went to the bank.
    pub(super) file: Option<FileId>,
    /// Day on which the file was cut.
    cut_on: Option<Day>,
}

#[cfg(test)]
impl Item {
    pub(super) fn new(row: OpenItemRow, reference: String, file: Option<FileId>) -> Self {
        Self { row, reference, file, cut_on: None }
    }
}

/// Returns the items without those of a file that an accepted statement, other than `restated`, has as one line. The
/// bank states every item once, also if nothing matched its line.
pub(super) async fn unstated(
    engine: &Engine,
    platform: &PlatformRecord,
    custody: CustodyId,
    rows: &[OpenItemRow],
    restated: Option<StatementId>,
) -> Result<Vec<Item>, OpsError> {
    let mut items = known(engine, (platform, custody), rows).await?;
    let Some(since) = items.iter().filter_map(|item| item.cut_on).min() else { return Ok(items) };
    let mut accepted = engine.current_statements(platform.shard, custody).await?;
    accepted.retain(|(id, statement)| statement.day >= since && Some(*id) != restated);
    let stated = accepted::references(engine, platform, &accepted).await?;
    items.retain(|item| item.file.is_none_or(|file| !stated.contains(&reference_code(file))));
    Ok(items)
}

/// Returns the items that the automatic statement states. Most sandboxes have no statement in a file: nothing is left
/// out there, and nothing more is read.
pub(crate) async fn of_automatic_statement(
    engine: &Engine,
    shard: Shard,
    (platform, custody): (PlatformId, CustodyId),
    rows: Vec<OpenItemRow>,
) -> Result<Vec<OpenItemRow>, OpsError> {
    if rows.is_empty() || !accepted::has_any(engine, shard, custody).await? {
        return Ok(rows);
    }
    let Some(platform) = engine.access().platform(platform).await? else { return Ok(rows) };
    let items = unstated(engine, &platform, custody, &rows, None).await?;
    Ok(items.into_iter().map(|item| item.row).collect())
}

/// Looks up the entries in which the items went to the bank.
async fn known(
    engine: &Engine,
    (platform, custody): (&PlatformRecord, CustodyId),
    rows: &[OpenItemRow],
) -> Result<Vec<Item>, OpsError> {
    let originator = trace::originator(engine, platform, custody).await?;
    let keys: BTreeSet<Key> = rows.iter().map(|row| Key::from(row.transaction)).collect();
    let keys: Vec<Key> = keys.into_iter().collect();
    let timelines = engine.reads().aggregates().timelines(platform.shard, &keys).await?;
    let item = |row: &OpenItemRow| {
        let timeline = timelines.get(&Key::from(row.transaction));
        let entry = timeline.and_then(|events| entry_of(events, row.account));
        let entry = entry.filter(|(submitted, _)| submitted.rail == Rail::Ach);
        let trace = entry.and_then(|(submitted, _)| originator.trace(submitted.trace).ok());
        // A return is not in the file of its entry, though it has its trace number.
        let filed =
            entry.filter(|_| matches!(row.account, LedgerAccount::RailIn(_) | LedgerAccount::RailOut(_)));
        Item {
            row: *row,
            reference: trace.unwrap_or_else(|| row.transaction.to_string()),
            file: filed.map(|(submitted, _)| submitted.file),
            cut_on: filed.map(|(_, day)| day),
        }
    };
    Ok(rows.iter().map(item).collect())
}
