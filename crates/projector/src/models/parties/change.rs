//! The changes of a page: a new transaction gets the next number in each of its lists.

use std::collections::{BTreeSet, HashMap};
use std::num::NonZeroUsize;

use daybook_domain::State;
use futures::try_join;
use lru::LruCache;
use tokio_postgres::Row;
use uuid::Uuid;

use crate::error::Error;
use crate::models::members::{List, columns, lists_of_transaction, stored};
use crate::models::projection::{ChangedRecord, DerivedRows, Projection};
use crate::store::sql::{self, Column, Target};

/// Number of lists whose last number is cached: at most about 10 MB.
const MAX_CACHED_LISTS: NonZeroUsize = NonZeroUsize::new(100_000).unwrap();

/// Last numbers of the lists that were written most recently.
pub(crate) struct LastNumbers(LruCache<List, u64>);

impl Default for LastNumbers {
    fn default() -> Self {
        Self(LruCache::new(MAX_CACHED_LISTS))
    }
}

/// The transactions that begin in a page, in the order of their creation.
#[derive(Default)]
pub(crate) struct Parties(Vec<NewTransaction>);

/// A transaction, and the lists of which it becomes a member.
struct NewTransaction {
    id: u128,
    lists: [Option<List>; 5],
}

impl Projection for Parties {
    type Carry = LastNumbers;

    fn record(&mut self, changed: &ChangedRecord, _: &DerivedRows) {
        if let State::Transaction(transaction) = &changed.row.current.state
            && changed.is_new
        {
            self.0.push(NewTransaction { id: changed.key.id, lists: lists_of_transaction(transaction) });
        }
    }

    /// Gives the transactions the next numbers of their lists, and writes them.
    async fn save(
        &self,
        to: &Target<'_, '_>,
        _: &[ChangedRecord],
        known: &mut LastNumbers,
    ) -> Result<(), Error> {
        let mut lasts = self.lasts_before(to, known).await?;
        let rows = Rows::of(self.numbered(&mut lasts));
        let insert = rows.columns();
        let kept = || lasts.iter().filter(|_| to.is_bulk);
        let (lists, kinds) = columns(kept().map(|(list, _)| list));
        let numbers: Vec<_> = kept().map(|(_, last)| sql::to_i64(*last)).collect();
        let keep: &sql::Columns<'_> = &[&lists, &kinds, &numbers];
        try_join!(
            sql::insert(to, include_str!("insert.sql"), &insert, rows.ids.len()),
            sql::write(to, include_str!("keep_lasts.sql"), keep, lists.len()),
        )?;
        for (list, last) in lasts {
            known.0.put(list, last);
        }
        Ok(())
    }
}

impl Parties {
    /// Returns each transaction with its number in each of its lists, sorted by sender, as the index is.
    fn numbered(&self, lasts: &mut HashMap<List, u64>) -> Vec<(&NewTransaction, [Option<u64>; 5])> {
        let mut next = |list: Option<List>| {
            let last = lasts.entry(list?).or_default();
            *last += 1;
            Some(*last)
        };
        let mut numbered: Vec<_> = self.0.iter().map(|begun| (begun, begun.lists.map(&mut next))).collect();
        numbered.sort_unstable_by_key(|(begun, numbers)| (begun.lists[1], numbers[1]));
        numbered
    }

    async fn lasts_before(
        &self,
        to: &Target<'_, '_>,
        known: &mut LastNumbers,
    ) -> Result<HashMap<List, u64>, Error> {
        let lists: BTreeSet<List> = self.0.iter().flat_map(|begun| begun.lists).flatten().collect();
        let (found, missing): (Vec<_>, Vec<_>) = lists
            .into_iter()
            .map(|list| (list, known.0.get(&list).copied()))
            .partition(|(_, last)| last.is_some());
        let missing: Vec<List> = missing.into_iter().map(|(list, _)| list).collect();
        // While no index finds the last number, a separate table stores it.
        let sql = if to.is_bulk { include_str!("kept_lasts.sql") } else { include_str!("lasts.sql") };
        let last = |row: &Row| Ok(sql::to_u64(row.try_get(1)?));
        let mut lasts: HashMap<_, _> = stored(to, sql, &missing, last).await?.into_iter().collect();
        lasts.extend(found.into_iter().filter_map(|(list, last)| Some((list, last?))));
        Ok(lasts)
    }
}

/// Rows, column by column.
#[derive(Default)]
struct Rows {
    ids: Vec<Uuid>,
    lists: [NumberedParties; 5],
}

/// One of the lists of each row, and the number of the row in it.
#[derive(Default)]
struct NumberedParties {
    lists: Vec<Option<Uuid>>,
    numbers: Vec<Option<i64>>,
}

impl Rows {
    fn of(numbered: Vec<(&NewTransaction, [Option<u64>; 5])>) -> Self {
        let mut rows = Self::default();
        for (begun, numbers) in numbered {
            rows.ids.push(Uuid::from_u128(begun.id));
            for ((places, list), number) in rows.lists.iter_mut().zip(begun.lists).zip(numbers) {
                places.lists.push(list.map(|list| Uuid::from_u128(list.of)));
                places.numbers.push(number.map(sql::to_i64));
            }
        }
        rows
    }

    fn columns(&self) -> Vec<&dyn Column> {
        let mut columns: Vec<&dyn Column> = vec![&self.ids];
        for NumberedParties { lists, numbers } in &self.lists {
            columns.push(lists);
            columns.push(numbers);
        }
        columns
    }
}

#[cfg(test)]
impl Parties {
    /// Does the same as [`Parties::save`], on a table of lists in memory.
    pub(crate) fn write_to(&self, lists: &mut std::collections::BTreeMap<List, Vec<u128>>) {
        let mut lasts = lists.iter().map(|(list, ids)| (*list, ids.len() as u64)).collect();
        let mut numbered = self.numbered(&mut lasts);
        numbered.sort_by_key(|(_, numbers)| numbers[0]);
        for (begun, numbers) in numbered {
            for (list, number) in begun.lists.into_iter().zip(numbers) {
                let ids = list.map(|list| lists.entry(list).or_default());
                let number_is = ids.map(|ids| {
                    ids.push(begun.id);
                    ids.len() as u64
                });
                assert_eq!(number_is, number, "a hole");
            }
        }
    }
}
