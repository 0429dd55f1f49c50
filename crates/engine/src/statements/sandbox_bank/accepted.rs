//! Statements of the bank that were accepted from files, the newest first, and the references in their lines.

use std::collections::HashSet;

use daybook_domain::calendar::Day;
use daybook_domain::statement::Statement;
use daybook_domain::statement::book::MAX_LINES_AT_ONCE;
use daybook_domain::{CustodyId, Key, StatementId, States};
use daybook_log::Shard;
use daybook_projector::Page;

use crate::access::PlatformRecord;
use crate::engine::Engine;
use crate::ops::OpsError;
use crate::statements::keep;

/// Number of statements that are read at once.
const PAGE_SIZE: u32 = 100;

/// An accepted statement.
pub(super) struct Accepted {
    pub(super) id: StatementId,
    pub(super) statement: Statement,
}

/// Returns true if any statement of the account was accepted from a file.
pub(super) async fn has_any(engine: &Engine, shard: Shard, custody: CustodyId) -> Result<bool, OpsError> {
    let first = Page { number: 1, size: 1 };
    Ok(engine.reads().lists().statements_of_custody(shard, custody, first).await?.total > 0)
}

/// Returns the accepted statements of days from `since` on. Statements of one currency are accepted in the order of their
/// days, so the first page without any is the last one that is read.
pub(super) async fn since(
    engine: &Engine,
    shard: Shard,
    custody: CustodyId,
    since: Day,
) -> Result<Vec<Accepted>, OpsError> {
    let lists = engine.reads().lists();
    let page = |number| Page { number, size: PAGE_SIZE };
    let total = lists.statements_of_custody(shard, custody, page(1)).await?.total;
    let last = u32::try_from(total.div_ceil(PAGE_SIZE.into())).unwrap_or(u32::MAX);
    let mut found = vec![];
    for number in (1..=last).rev() {
        let ids = lists.statements_of_custody(shard, custody, page(number)).await?.items;
        let keys: Vec<Key> = ids.iter().map(|id| Key::from(*id)).collect();
        let records = engine.reads().aggregates().records(shard, &keys).await?;
        let accepted = ids.into_iter().rev();
        let accepted =
            accepted.filter_map(|id| Some(Accepted { id, statement: records.statement(id)?.clone() }));
        let before = found.len();
        let of_days = accepted.filter(|accepted| accepted.statement.day >= since);
        found.extend(of_days.filter(|accepted| accepted.statement.replaced_by.is_none()));
        if found.len() == before {
            break;
        }
    }
    Ok(found)
}

/// Returns the references in the lines of statements. None are known of a platform whose keys are gone.
pub(super) async fn references(
    engine: &Engine,
    platform: &PlatformRecord,
    accepted: &[Accepted],
) -> Result<HashSet<String>, OpsError> {
    let mut references = HashSet::new();
    let Some(keys) = engine.own_keys(platform).await? else { return Ok(references) };
    for Accepted { id, statement } in accepted {
        for number in 0..statement.lines.div_ceil(MAX_LINES_AT_ONCE) {
            let lines = keep::page(engine, platform.shard, &keys, *id, number).await?.unwrap_or_default();
            references.extend(lines.into_iter().flat_map(|line| line.references));
        }
    }
    Ok(references)
}
