//! A page of the log: folded per key in memory, then written by one flight of statements.

use std::collections::{HashMap, HashSet};
use std::future::Future;
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
use daybook_log::{Log, Shard};
use futures::try_join;
use lru::LruCache;
use uuid::Uuid;

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
use crate::read::{Model, Models};
use crate::record::{self, Record, Row};
use crate::sql::Target;

/// How many rows are kept from page to page: about 50 MB.
const KEPT_ROWS: NonZeroUsize = NonZeroUsize::new(50_000).unwrap();
/// How many streams are read at a time.
const STREAMS: usize = 1000;
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
    models: Models,
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
    /// Folds `events` onto the rows that were kept, and where none was onto what is read from `source`.
    pub(crate) async fn fold(
        models: Models,
        source: &Source<'_, '_>,
        events: &[Happened],
        kept: &mut Kept,
    ) -> Result<Self, Error> {
        let mut before = before(models, source, events, kept).await?;
        Self::of(models, events, &mut before)
    }

    /// Folds `events` onto the rows that they continue.
    fn of(models: Models, events: &[Happened], before: &mut Before) -> Result<Self, Error> {
        let mut page = Self { models, ..Self::default() };
        for happened in events.iter().filter(|happened| models.read(happened.key.kind)) {
            page.entries.event(happened);
            page.balances.event(happened);
            page.daily.event(happened);
            page.ledger.event(happened);
            page.files.event(happened);
            if is_record(happened.key) && models.need_states_of(happened.key.kind) {
                let state = page.records.apply(happened, before)?;
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

    /// Writes all rows of the read models that it is about, in one flight.
    pub(crate) async fn save(&self, to: &Target<'_, '_>, kept: &mut Kept) -> Result<(), Error> {
        let changed = &self.records.changed;
        try_join!(
            self.of_model(Model::Platforms, record::save::<Platform>(to, changed)),
            self.of_model(Model::Users, record::save::<User>(to, changed)),
            self.of_model(Model::Nodes, record::save::<Node>(to, changed)),
            self.of_model(Model::Transactions, record::save::<Payment>(to, changed)),
            self.of_model(Model::Custodies, record::save::<Custody>(to, changed)),
            self.of_model(Model::Operations, record::save::<Operation>(to, changed)),
            self.of_model(Model::Subnets, record::save::<Subnet>(to, changed)),
            self.of_model(Model::Subscriptions, record::save::<Subscription>(to, changed)),
            self.of_model(Model::Entries, self.entries.save(to)),
            self.of_model(Model::Balances, self.balances.save(to)),
            self.of_model(Model::Daily, self.daily.save(to)),
            self.of_model(Model::Ledger, self.ledger.save(to)),
            self.of_model(Model::ToDos, self.to_dos.save(to)),
            self.of_model(Model::Members, self.members.save(to, &mut kept.counters)),
            self.of_model(Model::OpenItems, self.open_items.save(to)),
            self.of_model(Model::Queued, self.queued.save(to)),
            self.of_model(Model::Waiting, self.waiting.save(to)),
            self.of_model(Model::Files, self.files.save(to)),
        )?;
        Ok(())
    }

    /// Does `save`, if this page is about `model`.
    async fn of_model(
        &self,
        model: Model,
        save: impl Future<Output = Result<(), Error>>,
    ) -> Result<(), Error> {
        if self.models.has(model) { save.await } else { Ok(()) }
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
    fn apply(&mut self, happened: &Happened, before: &mut Before) -> Result<&State, Error> {
        let Happened { key, position, .. } = *happened;
        let place = *self.places.entry(key).or_insert(self.changed.len());
        if let Some(changed) = self.changed.get_mut(place) {
            changed.row.current.fold(happened)?;
        } else if let Some(mut row) = before.remove(&key) {
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

/// Whether the aggregate has a row of its own. The state of an account or attestation is its last event; an attachment
/// never changes.
pub(crate) fn is_record(key: Key) -> bool {
    match key.kind {
        Kind::Platform
        | Kind::User
        | Kind::Node
        | Kind::Transaction
        | Kind::Custody
        | Kind::Operation
        | Kind::Subnet
        | Kind::Subscription => true,
        Kind::Account | Kind::Attachment | Kind::Attestation => false,
    }
}

/// Where the states come from that a page continues.
pub(crate) enum Source<'a, 'tx> {
    /// From the tables that it writes to.
    Rows(&'a Target<'a, 'tx>),
    /// From the events before it: tables that are made of states do not hold these.
    Log(&'a dyn Log, Shard),
}

/// The rows that a page continues.
type Before = HashMap<Key, Row>;

/// The rows that `events` continue: those that were kept, and the others from `source`.
async fn before(
    models: Models,
    source: &Source<'_, '_>,
    events: &[Happened],
    kept: &mut Kept,
) -> Result<Before, Error> {
    let (mut begun, mut before) = (HashSet::new(), Before::new());
    let mut missing = HashMap::new();
    let needed = |key: Key| is_record(key) && models.need_states_of(key.kind);
    for Happened { key, version, .. } in events.iter().filter(|happened| needed(happened.key)) {
        if begun.insert(*key) && *version > 1 {
            if let Some(row) = kept.rows.pop(key) {
                before.insert(*key, row);
            } else {
                missing.insert(*key, *version);
            }
        }
    }
    if !missing.is_empty() {
        before.extend(match source {
            Source::Rows(target) => load_rows(target, missing.into_keys().collect()).await?,
            Source::Log(log, shard) => fold_streams(*log, *shard, &missing).await?,
        });
    }
    Ok(before)
}

/// Reads rows, a statement per kind at most.
async fn load_rows(from: &Target<'_, '_>, keys: Vec<Key>) -> Result<Vec<(Key, Row)>, Error> {
    let keys = &keys;
    let (platforms, users, nodes, payments, custodies, operations, subnets, subscriptions) = try_join!(
        load::<Platform>(from, keys),
        load::<User>(from, keys),
        load::<Node>(from, keys),
        load::<Payment>(from, keys),
        load::<Custody>(from, keys),
        load::<Operation>(from, keys),
        load::<Subnet>(from, keys),
        load::<Subscription>(from, keys),
    )?;
    let found = [platforms, users, nodes, payments, custodies, operations, subnets, subscriptions];
    Ok(found.into_iter().flatten().collect())
}

async fn load<R: Record>(from: &Target<'_, '_>, keys: &[Key]) -> Result<Vec<(Key, Row)>, Error> {
    if !record::any_of::<R>(keys) {
        return Ok(vec![]);
    }
    let statement = from.tx.prepare_cached(&from.tables.sql(R::LOAD)).await?;
    record::load::<R>(from.tx.client(), &statement, from.shard, keys).await
}

/// Folds the events of each stream that come before a version.
async fn fold_streams(
    log: &dyn Log,
    shard: Shard,
    before: &HashMap<Key, u32>,
) -> Result<Vec<(Key, Row)>, Error> {
    let streams: Vec<_> = before.keys().map(|key| (Uuid::from_u128(key.id), 0)).collect();
    let mut rows: HashMap<Key, Row> = HashMap::with_capacity(streams.len());
    for streams in streams.chunks(STREAMS) {
        for recorded in log.streams(shard, streams).await? {
            let key = Kind::from_code(recorded.event.stream_kind)
                .map(|kind| Key { kind, id: recorded.event.stream.as_u128() });
            let needed = key.and_then(|key| before.get(&key));
            // What comes later may be of a type that is not known yet.
            if needed.is_none_or(|version| recorded.event.version >= *version) {
                continue;
            }
            let happened = Happened::decode(&recorded)?;
            if let Some(row) = rows.get_mut(&happened.key) {
                row.current.fold(&happened)?;
            } else {
                let row = Row { position: happened.position, current: Versioned::begin(&happened)? };
                rows.insert(happened.key, row);
            }
        }
    }
    Ok(rows.into_iter().collect())
}

#[cfg(feature = "testing")]
pub mod testing;
#[cfg(test)]
mod tests;
