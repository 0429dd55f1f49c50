//! A page of the log: folded per key in memory, then written by one flight of statements.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;

use daybook_domain::custody::Custody;
use daybook_domain::node::Node;
use daybook_domain::operation::Operation;
use daybook_domain::platform::Platform;
use daybook_domain::process::to_do;
use daybook_domain::subnet::Subnet;
use daybook_domain::subscription::Subscription;
use daybook_domain::transaction::Transaction as Payment;
use daybook_domain::user::User;
use daybook_domain::{Key, Kind, State};
use daybook_log::{Head, Shard};
use daybook_pg::Transaction;
use futures::try_join;
use lru::LruCache;

use crate::cursor;
use crate::decode::Happened;
use crate::error::Error;
use crate::fold::Versioned;
use crate::projection::{Changed, Derived, Projection};
use crate::read::balances::Balances;
use crate::read::daily::Daily;
use crate::read::entries::Entries;
use crate::read::files::Files;
use crate::read::ledger::Ledger;
use crate::read::members::{Counters, Members};
use crate::read::open_items::OpenItems;
use crate::read::queued::Queued;
use crate::read::to_dos::ToDos;
use crate::read::waiting::Waiting;
use crate::record::{self, Record, Row};

/// How many rows are kept from page to page: about 50 MB.
const KEPT_ROWS: NonZeroUsize = NonZeroUsize::new(50_000).unwrap();
/// How many lists' counters are kept: about 10 MB.
const KEPT_COUNTERS: NonZeroUsize = NonZeroUsize::new(100_000).unwrap();

/// What earlier pages leave for later ones. True only while nobody else moves the cursor.
pub(crate) struct Kept {
    rows: LruCache<Key, Row>,
    counters: Counters,
}

impl Default for Kept {
    fn default() -> Self {
        Self { rows: LruCache::new(KEPT_ROWS), counters: LruCache::new(KEPT_COUNTERS) }
    }
}

/// What a page of the log changes.
#[derive(Default)]
pub(crate) struct Page {
    records: Records,
    entries: Entries,
    balances: Balances,
    daily: Daily,
    ledger: Ledger,
    to_dos: ToDos,
    members: Members,
    open_items: OpenItems,
    queued: Queued,
    waiting: Waiting,
    files: Files,
}

impl Page {
    /// Folds `events` onto the rows that were kept, and onto those in the database where none was.
    pub(crate) async fn fold(
        tx: &Transaction<'_>,
        shard: Shard,
        events: &[Happened],
        kept: &mut Kept,
    ) -> Result<Self, Error> {
        load_missing(tx, shard, events, kept).await?;
        Self::of(events, kept)
    }

    /// Folds `events` onto the rows that were kept: all that they continue.
    fn of(events: &[Happened], kept: &mut Kept) -> Result<Self, Error> {
        let mut page = Self::default();
        for happened in events {
            page.entries.event(happened);
            page.balances.event(happened);
            page.daily.event(happened);
            page.ledger.event(happened);
            page.files.event(happened);
            if is_record(happened.key) {
                let state = page.records.apply(happened, kept)?;
                page.waiting.after(happened, state);
            }
        }
        for changed in &page.records.changed {
            let after = Derived::of(&changed.row.current.state);
            page.to_dos.record(changed, &after);
            page.members.record(changed, &after);
            page.open_items.record(changed, &after);
            page.queued.record(changed, &after);
            page.waiting.record(changed, &after);
        }
        Ok(page)
    }

    /// Writes all rows and moves the cursor to `end`, in one flight.
    pub(crate) async fn save(
        &self,
        tx: &Transaction<'_>,
        shard: Shard,
        end: Head,
        kept: &mut Kept,
    ) -> Result<(), Error> {
        let rows = || self.records.changed.iter().map(|changed| (changed.key, &changed.row));
        try_join!(
            record::save::<Platform>(tx, shard, rows()),
            record::save::<User>(tx, shard, rows()),
            record::save::<Node>(tx, shard, rows()),
            record::save::<Payment>(tx, shard, rows()),
            record::save::<Custody>(tx, shard, rows()),
            record::save::<Operation>(tx, shard, rows()),
            record::save::<Subnet>(tx, shard, rows()),
            record::save::<Subscription>(tx, shard, rows()),
            self.entries.save(tx, shard),
            self.balances.save(tx, shard),
            self.daily.save(tx, shard),
            self.ledger.save(tx, shard),
            self.to_dos.save(tx, shard),
            self.members.save(tx, shard, &mut kept.counters),
            self.open_items.save(tx, shard),
            self.queued.save(tx, shard),
            self.waiting.save(tx, shard),
            self.files.save(tx, shard),
            cursor::advance(tx, shard, end),
        )?;
        Ok(())
    }

    /// Keeps the rows that will change again soon: those about which something is to be done.
    pub(crate) fn keep(self, kept: &mut Kept) {
        for changed in self.records.changed {
            if to_do(&changed.row.current.state).is_some() {
                kept.rows.put(changed.key, changed.row);
            }
        }
    }
}

/// The records that a page changes, in the order in which it first came to each.
#[derive(Default)]
struct Records {
    changed: Vec<Changed>,
    places: HashMap<Key, usize>,
}

impl Records {
    /// Folds one event; answers the state after it.
    fn apply(&mut self, happened: &Happened, kept: &mut Kept) -> Result<&State, Error> {
        let Happened { key, position, .. } = *happened;
        let place = *self.places.entry(key).or_insert(self.changed.len());
        if let Some(changed) = self.changed.get_mut(place) {
            changed.row.current.fold(happened)?;
        } else if let Some(mut row) = kept.rows.pop(&key) {
            let before = Derived::of(&row.current.state);
            row.current.fold(happened)?;
            self.changed.push(Changed { key, row, is_new: false, before });
        } else {
            let row = Row { position, current: Versioned::begin(happened)? };
            self.changed.push(Changed { key, row, is_new: true, before: Derived::default() });
        }
        Ok(&self.changed[place].row.current.state)
    }
}

/// Whether the aggregate has a row of its own; an account's state is its last entry, an attachment never changes.
fn is_record(key: Key) -> bool {
    match key.kind {
        Kind::Platform
        | Kind::User
        | Kind::Node
        | Kind::Transaction
        | Kind::Custody
        | Kind::Operation
        | Kind::Subnet
        | Kind::Subscription => true,
        Kind::Account | Kind::Attachment => false,
    }
}

/// Reads the rows that `events` continue and that were not kept, a statement per kind at most.
async fn load_missing(
    tx: &Transaction<'_>,
    shard: Shard,
    events: &[Happened],
    kept: &mut Kept,
) -> Result<(), Error> {
    let mut begun = HashSet::new();
    let mut missing = vec![];
    for happened in events.iter().filter(|happened| is_record(happened.key)) {
        let is_first_here = begun.insert(happened.key);
        if is_first_here && happened.version > 1 && !kept.rows.contains(&happened.key) {
            missing.push(happened.key);
        }
    }
    let (platforms, users, nodes, payments, custodies, operations, subnets, subscriptions) = try_join!(
        load::<Platform>(tx, shard, &missing),
        load::<User>(tx, shard, &missing),
        load::<Node>(tx, shard, &missing),
        load::<Payment>(tx, shard, &missing),
        load::<Custody>(tx, shard, &missing),
        load::<Operation>(tx, shard, &missing),
        load::<Subnet>(tx, shard, &missing),
        load::<Subscription>(tx, shard, &missing),
    )?;
    let found = [platforms, users, nodes, payments, custodies, operations, subnets, subscriptions];
    for (key, row) in found.into_iter().flatten() {
        kept.rows.put(key, row);
    }
    Ok(())
}

async fn load<R: Record>(tx: &Transaction<'_>, shard: Shard, keys: &[Key]) -> Result<Vec<(Key, Row)>, Error> {
    if !record::any_of::<R>(keys) {
        return Ok(vec![]);
    }
    let statement = tx.prepare_cached(R::LOAD).await?;
    record::load::<R>(tx.client(), &statement, shard, keys).await
}

#[cfg(test)]
mod tests;
