//! Statements of a custody that hold: those that no other one replaces.

use std::collections::HashSet;

use daybook_domain::statement::Statement;
use daybook_domain::{CustodyId, Key, StatementId, States};
use daybook_log::Shard;
use daybook_projector::Page;

use crate::engine::Engine;
use crate::ops::OpsError;

/// Number of statements that one query of the list returns.
const PAGE_SIZE: u32 = 500;

impl Engine {
    /// Returns the statements in files of a custody that no other one replaces, each with its id. There is at most one of a
    /// day and a currency. The list is read to its end: the bank may state a day anew long after later days, so the order
    /// of acceptance is not that of the days. The list may be older than the states, so it may lack the statement that
    /// replaces one of it.
    pub(super) async fn current_statements(
        &self,
        shard: Shard,
        custody: CustodyId,
    ) -> Result<Vec<(StatementId, Statement)>, OpsError> {
        let mut all = self.all_statements(shard, custody).await?;
        let mut known: HashSet<StatementId> = all.iter().map(|(id, _)| *id).collect();
        let mut next: Vec<StatementId> = all.iter().filter_map(|(_, it)| it.replaced_by).collect();
        while let Some(id) = next.pop() {
            if known.insert(id) {
                let found = self.reads().aggregates().records(shard, &[id.into()]).await?;
                let statement = found.statement(id).cloned();
                next.extend(statement.as_ref().and_then(|it| it.replaced_by));
                all.extend(statement.map(|it| (id, it)));
            }
        }
        all.retain(|(_, statement)| statement.replaced_by.is_none());
        Ok(all)
    }

    /// Returns all statements in files of a custody, in the order in which they were accepted.
    pub(crate) async fn all_statements(
        &self,
        shard: Shard,
        custody: CustodyId,
    ) -> Result<Vec<(StatementId, Statement)>, OpsError> {
        let mut all = vec![];
        for number in 1.. {
            let page = Page { number, size: PAGE_SIZE };
            let ids = self.reads().lists().statements_of_custody(shard, custody, page).await?.items;
            let keys: Vec<Key> = ids.iter().map(|id| Key::from(*id)).collect();
            let found = self.reads().aggregates().records(shard, &keys).await?;
            all.extend(ids.iter().filter_map(|id| Some((*id, found.statement(*id)?.clone()))));
            if ids.len() < PAGE_SIZE as usize {
                break;
            }
        }
        Ok(all)
    }
}
