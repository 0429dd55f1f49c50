//! The changes of a page: a new record becomes a member of its lists; a member can leave a list and come back.

use std::collections::{BTreeSet, HashMap};
use std::num::NonZeroUsize;

use daybook_domain::State;
use futures::try_join;
use lru::LruCache;
use tokio_postgres::Row;
use uuid::Uuid;

use super::has_transactions;
use super::lists::{List, list_of, lists_of_transaction};
use super::stored::{columns, stored};
use crate::error::Error;
use crate::models::projection::{ChangedRecord, DerivedRows, Projection};
use crate::store::Model;
use crate::store::sql::{self, Target};

/// Number of members that a list shows, and the number of its last member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counter {
    total: u64,
    last: u64,
}

/// Number of lists whose counters are cached: at most about 10 MB.
const MAX_CACHED_LISTS: NonZeroUsize = NonZeroUsize::new(100_000).unwrap();

/// Counters of the lists that were written most recently.
pub(crate) struct Counters(LruCache<List, Counter>);

impl Default for Counters {
    fn default() -> Self {
        Self(LruCache::new(MAX_CACHED_LISTS))
    }
}

/// Members that a page adds, in the order of their creation, and members that leave a list or come back.
#[derive(Default)]
pub(crate) struct Members {
    new: Vec<Member>,
    moved: Vec<Member>,
}

/// One member of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Member {
    list: List,
    id: u128,
    is_present: bool,
}

impl Projection for Members {
    type Carry = Counters;

    fn record(&mut self, changed: &ChangedRecord, after: &DerivedRows) {
        let members = if changed.is_new {
            &mut self.new
        } else if changed.before.is_listed != after.is_listed {
            &mut self.moved
        } else {
            return;
        };
        let (id, is_present) = (changed.key.id, after.is_listed);
        members.extend(list_of(&changed.row.current.state).map(|list| Member { list, id, is_present }));
    }

    /// Gives the new members the next numbers of their lists, and writes all changes.
    async fn save(
        &self,
        to: &Target<'_, '_>,
        changed: &[ChangedRecord],
        known: &mut Counters,
    ) -> Result<(), Error> {
        if !has_transactions(to.tables.fold(Model::MEMBERS)) {
            return self.save_all(to, known).await;
        }
        let new = self.new.iter().copied().chain(changed.iter().flat_map(transaction)).collect();
        Self { new, moved: self.moved.clone() }.save_all(to, known).await
    }
}

impl Members {
    async fn save_all(&self, to: &Target<'_, '_>, known: &mut Counters) -> Result<(), Error> {
        let mut counters = self.counters_before(to, known).await?;
        let new = self.numbered(&mut counters);
        let numbers: Vec<i64> = new.iter().map(|(_, number)| *number).collect();
        let (new, moved) = (Columns::of(new.iter().map(|(member, _)| member)), Columns::of(&self.moved));
        let counted = || counters.iter().filter(|(list, _)| is_counted(list, to));
        let (lists, kinds) = columns(counted().map(|(list, _)| list));
        let totals: Vec<_> = counted().map(|(_, counter)| sql::to_i64(counter.total)).collect();
        let lasts: Vec<_> = counted().map(|(_, counter)| sql::to_i64(counter.last)).collect();
        let insert: &sql::Columns<'_> = &[&new.lists, &new.kinds, &numbers, &new.ids, &new.is_present];
        let r#move: &sql::Columns<'_> = &[&moved.lists, &moved.kinds, &moved.ids, &moved.is_present];
        let count: &sql::Columns<'_> = &[&lists, &kinds, &totals, &lasts];
        try_join!(
            sql::insert(to, include_str!("insert.sql"), insert, self.new.len()),
            sql::write(to, include_str!("move.sql"), r#move, self.moved.len()),
            sql::write(to, include_str!("save_counters.sql"), count, lists.len()),
        )?;
        for (list, counter) in counters {
            known.0.put(list, counter);
        }
        Ok(())
    }

    /// Updates the counters and returns the numbers of the new members.
    fn count(&self, counters: &mut HashMap<List, Counter>) -> Vec<i64> {
        for member in &self.moved {
            let Counter { total, .. } = counters.entry(member.list).or_default();
            *total = if member.is_present { *total + 1 } else { total.saturating_sub(1) };
        }
        let number = |member: &Member| {
            let counter = counters.entry(member.list).or_default();
            counter.last += 1;
            counter.total += u64::from(member.is_present);
            sql::to_i64(counter.last)
        };
        self.new.iter().map(number).collect()
    }

    /// Returns the new members with their numbers in the order of the index, so that neighbours share a page of the
    /// table.
    fn numbered(&self, counters: &mut HashMap<List, Counter>) -> Vec<(Member, i64)> {
        let numbers = self.count(counters);
        let mut numbered: Vec<_> = self.new.iter().copied().zip(numbers).collect();
        numbered.sort_unstable_by_key(|(member, number)| (member.list, *number));
        numbered
    }

    async fn counters_before(
        &self,
        to: &Target<'_, '_>,
        known: &mut Counters,
    ) -> Result<HashMap<List, Counter>, Error> {
        let lists: BTreeSet<List> = self.new.iter().chain(&self.moved).map(|member| member.list).collect();
        let mut counters = HashMap::with_capacity(lists.len());
        let mut missing = vec![];
        for list in lists {
            match known.0.get(&list) {
                Some(counter) => {
                    counters.insert(list, *counter);
                }
                None => missing.push(list),
            }
        }
        let (counted, others): (Vec<_>, Vec<_>) = missing.into_iter().partition(|list| is_counted(list, to));
        counters.extend(stored(to, include_str!("counters.sql"), &counted, counter).await?);
        counters.extend(stored(to, include_str!("lasts.sql"), &others, counter).await?);
        Ok(counters)
    }
}

/// Returns the memberships of a transaction that is new.
fn transaction(changed: &ChangedRecord) -> impl Iterator<Item = Member> {
    let lists = if let State::Transaction(transaction) = &changed.row.current.state
        && changed.is_new
    {
        lists_of_transaction(transaction)
    } else {
        [None; 5]
    };
    lists.into_iter().flatten().map(|list| Member { list, id: changed.key.id, is_present: true })
}

/// Reads a counter from a row, after the column with the place of its list.
fn counter(row: &Row) -> Result<Counter, Error> {
    Ok(Counter { total: sql::to_u64(row.try_get(1)?), last: sql::to_u64(row.try_get(2)?) })
}

/// Returns true if the total of a list has a row. While no index finds the last member, every list has one.
fn is_counted(list: &List, to: &Target<'_, '_>) -> bool {
    list.kind.may_be_left() || to.is_bulk || to.tables.fold(Model::MEMBERS) == 1
}

/// Members, column by column.
#[derive(Default)]
struct Columns {
    lists: Vec<Uuid>,
    kinds: Vec<i16>,
    ids: Vec<Uuid>,
    is_present: Vec<bool>,
}

impl Columns {
    fn of<'a>(members: impl IntoIterator<Item = &'a Member>) -> Self {
        let mut columns = Self::default();
        for Member { list, id, is_present } in members {
            columns.lists.push(Uuid::from_u128(list.of));
            columns.kinds.push(list.kind.code());
            columns.ids.push(Uuid::from_u128(*id));
            columns.is_present.push(*is_present);
        }
        columns
    }
}

#[cfg(test)]
impl Members {
    /// Does the same as [`Members::save`], on tables of members and of counters in memory.
    pub(crate) fn write_to(
        &self,
        members: &mut std::collections::BTreeMap<List, Vec<(u128, bool)>>,
        counters: &mut HashMap<List, Counter>,
    ) {
        for Member { list, id, is_present } in &self.moved {
            let mut known = members.get_mut(list).into_iter().flatten();
            known.find(|(member, _)| member == id).expect("came before").1 = *is_present;
        }
        for (Member { list, id, is_present }, number) in self.new.iter().zip(self.count(counters)) {
            let list = members.entry(*list).or_default();
            list.push((*id, *is_present));
            assert_eq!(sql::to_i64(list.len() as u64), number, "a hole");
        }
    }
}

#[cfg(test)]
impl Counter {
    /// Counts the members that are present, and all members that there ever were.
    pub(crate) fn of(members: &[(u128, bool)]) -> Self {
        let present = members.iter().filter(|(_, is_present)| *is_present).count();
        Self { total: present as u64, last: members.len() as u64 }
    }
}
