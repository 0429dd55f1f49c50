//! Statements of the bank that were accepted from files, and the references in their lines.

use std::collections::HashSet;

use daybook_domain::statement::Statement;
use daybook_domain::statement::book::MAX_LINES_AT_ONCE;
use daybook_domain::{CustodyId, StatementId};
use daybook_log::Shard;
use daybook_projector::Page;

use crate::access::PlatformRecord;
use crate::engine::Engine;
use crate::ops::OpsError;
use crate::statements::keep;

/// Returns true if any statement of the account was accepted from a file.
pub(super) async fn has_any(engine: &Engine, shard: Shard, custody: CustodyId) -> Result<bool, OpsError> {
    let first = Page { number: 1, size: 1 };
    Ok(engine.reads().lists().statements_of_custody(shard, custody, first).await?.total > 0)
}

/// Returns the references in the lines of statements. None are known of a platform whose keys are gone.
pub(super) async fn references(
    engine: &Engine,
    platform: &PlatformRecord,
    accepted: &[(StatementId, Statement)],
) -> Result<HashSet<String>, OpsError> {
    let mut references = HashSet::new();
    for (id, statement) in accepted {
        for number in 0..statement.lines.div_ceil(MAX_LINES_AT_ONCE) {
            let lines = keep::page(engine, platform.shard, *id, number).await?.unwrap_or_default();
            references.extend(lines.into_iter().flat_map(|line| line.references));
        }
    }
    Ok(references)
}
