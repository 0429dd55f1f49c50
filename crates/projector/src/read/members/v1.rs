//! Version 1: a new transaction becomes a member of its sender's and of its receiver's list, once if they are one. A
//! micro-deposit stays out of its receiver's, who shall tell its amount.

use std::collections::{BTreeSet, HashMap};

use daybook_domain::State;
use daybook_log::Shard;
use daybook_pg::Transaction;
use futures::try_join;
use lru::LruCache;
use uuid::Uuid;

use crate::error::Error;
use crate::projection::Changed;
use crate::sql;

/// Totals of lists that were written lately.
pub(crate) type Totals = LruCache<u128, u64>;

/// What comes into lists in a page, in the order of creation: list and member.
#[derive(Default)]
pub(crate) struct Members(Vec<(u128, u128)>);

impl Members {
    /// Takes in one record that a page changed.
    pub(crate) fn record(&mut self, changed: &Changed) {
        let State::Transaction(transaction) = &changed.row.current.state else { return };
        if changed.is_new {
            let receiver = transaction.to.user().filter(|_| !transaction.is_micro_deposit);
            let users: BTreeSet<_> = [transaction.from.user(), receiver].into_iter().flatten().collect();
            self.0.extend(users.into_iter().map(|user| (user.as_u128(), changed.key.id)));
        }
    }

    /// Numbers the new members from the lists' totals on, and writes both.
    pub(crate) async fn save(
        &self,
        tx: &Transaction<'_>,
        shard: Shard,
        known: &mut Totals,
    ) -> Result<(), Error> {
        let mut totals = self.totals_before(tx, shard, known).await?;
        let mut numbers = Vec::with_capacity(self.0.len());
        for (list, _) in &self.0 {
            let total = totals.entry(*list).or_default();
            *total += 1;
            numbers.push(sql::to_i64(*total));
        }
        let lists: Vec<_> = self.0.iter().map(|(list, _)| Uuid::from_u128(*list)).collect();
        let members: Vec<_> = self.0.iter().map(|(_, member)| Uuid::from_u128(*member)).collect();
        let counted: Vec<_> = totals.keys().map(|list| Uuid::from_u128(*list)).collect();
        let counts: Vec<_> = totals.values().map(|total| sql::to_i64(*total)).collect();
        let insert: &sql::Params<'_> = &[&shard, &lists, &numbers, &members];
        let count: &sql::Params<'_> = &[&shard, &counted, &counts];
        try_join!(
            sql::write(tx, include_str!("insert.sql"), shard, insert, lists.len()),
            sql::write(tx, include_str!("save_totals.sql"), shard, count, counted.len()),
        )?;
        for (list, total) in totals {
            known.put(list, total);
        }
        Ok(())
    }

    async fn totals_before(
        &self,
        tx: &Transaction<'_>,
        shard: Shard,
        known: &mut Totals,
    ) -> Result<HashMap<u128, u64>, Error> {
        let lists: BTreeSet<u128> = self.0.iter().map(|(list, _)| *list).collect();
        let mut totals = HashMap::with_capacity(lists.len());
        let mut missing = vec![];
        for list in lists {
            match known.get(&list) {
                Some(total) => {
                    totals.insert(list, *total);
                }
                None => missing.push(Uuid::from_u128(list)),
            }
        }
        if !missing.is_empty() {
            let statement = tx.prepare_cached(include_str!("totals.sql")).await?;
            for row in tx.query(&statement, &[&shard, &missing]).await? {
                totals.insert(row.try_get::<_, Uuid>(0)?.as_u128(), sql::to_u64(row.try_get(1)?));
            }
        }
        Ok(totals)
    }
}

#[cfg(test)]
impl Members {
    /// The lists into which `wanted` comes.
    pub(crate) fn of(&self, wanted: u128) -> impl Iterator<Item = u128> + '_ {
        self.0.iter().filter(move |(_, member)| *member == wanted).map(|(list, _)| *list)
    }
}
