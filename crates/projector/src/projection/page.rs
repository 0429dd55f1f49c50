//! A page of the log: folded per key in memory, then written by one flight of statements.

mod before;
#[cfg(feature = "testing")]
pub mod testing;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::future::Future;
use std::num::NonZeroUsize;

pub(crate) use before::Source;
use before::{Before, before};
use daybook_domain::custody::Custody;
use daybook_domain::node::Node;
use daybook_domain::operation::Operation;
use daybook_domain::platform::Platform;
use daybook_domain::process::to_do;
use daybook_domain::subnet::Subnet;
use daybook_domain::subscription::Subscription;
use daybook_domain::user::User;
use daybook_domain::{Key, State};
use futures::try_join;
use lru::LruCache;

use crate::error::Error;
use crate::models::balances::Balances;
use crate::models::daily::Daily;
use crate::models::entries::Entries;
use crate::models::files::Files;
use crate::models::ledger::Ledger;
use crate::models::members::{Counters, Members};
use crate::models::open_items::OpenItems;
use crate::models::parties::{Lasts, Parties};
use crate::models::projection::{Changed, Derived, Projection};
use crate::models::queued::Queued;
use crate::models::record::{self, Row, is_record};
use crate::models::to_dos::ToDos;
use crate::models::transactions;
use crate::models::waiting::Waiting;
use crate::models::{Model, Models};
use crate::store::fold::Versioned;
use crate::store::happened::Happened;
use crate::store::sql::Target;

/// How many rows are kept from page to page: about 50 MB.
const KEPT_ROWS: NonZeroUsize = NonZeroUsize::new(50_000).unwrap();
/// How many lists' counters are kept: at most about 10 MB.
const KEPT_COUNTERS: NonZeroUsize = NonZeroUsize::new(100_000).unwrap();
/// Of how many lists of transactions the last number is kept: at most about 10 MB.
const KEPT_LASTS: NonZeroUsize = NonZeroUsize::new(100_000).unwrap();

/// What earlier pages leave for later ones. True only while nobody else moves the cursor.
pub(crate) struct Kept {
    rows: LruCache<Key, Row>,
    counters: Counters,
    lasts: Lasts,
}

impl Default for Kept {
    fn default() -> Self {
        let (rows, counters) = (LruCache::new(KEPT_ROWS), LruCache::new(KEPT_COUNTERS));
        Self { rows, counters, lasts: LruCache::new(KEPT_LASTS) }
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
    parties: Parties,
    open_items: OpenItems,
    queued: Queued,
    waiting: Waiting,
    files: Files,
}

impl Page {
    /// Folds `events` onto the rows that were kept, and where none was onto what is read from `source`.
    pub(crate) async fn fold<'e>(
        models: Models,
        source: &Source<'_, '_>,
        events: impl Iterator<Item = &'e Happened> + Clone,
        kept: &mut Kept,
    ) -> Result<Self, Error> {
        let mut before = before(models, source, events.clone(), kept).await?;
        Self::of(models, events, &mut before)
    }

    /// Folds `events` onto the rows that they continue.
    fn of<'e>(
        models: Models,
        events: impl Iterator<Item = &'e Happened>,
        before: &mut Before,
    ) -> Result<Self, Error> {
        let mut page = Self { models, ..Self::default() };
        let (read, states) = (models.kinds(), models.states());
        for happened in events.filter(|happened| read.has(happened.key.kind)) {
            page.event(happened);
            if states.need(happened) && is_record(happened.key) {
                let state = page.records.apply(happened, before)?;
                if models.has(Model::Waiting) {
                    page.waiting.after(happened, state);
                }
            }
        }
        page.derive();
        Ok(page)
    }

    /// Takes an event into the read models that are made of events; what a rebuild of one makes is of no use to it.
    fn event(&mut self, happened: &Happened) {
        if self.models.has(Model::Entries) {
            self.entries.event(happened);
        }
        if self.models.has(Model::Balances) {
            self.balances.event(happened);
        }
        if self.models.has(Model::Daily) {
            self.daily.event(happened);
        }
        if self.models.has(Model::Ledger) {
            self.ledger.event(happened);
        }
        if self.models.has(Model::Files) {
            self.files.event(happened);
        }
    }

    /// Takes what the page changed into the read models that follow from states.
    fn derive(&mut self) {
        let models = self.models;
        if !models.any(Model::is_derived) {
            return;
        }
        for changed in &self.records.changed {
            let after = Derived::of(&changed.row.current.state);
            if models.has(Model::ToDos) {
                self.to_dos.record(changed, &after);
            }
            if models.has(Model::Members) {
                self.members.record(changed, &after);
            }
            if models.has(Model::Parties) {
                self.parties.record(changed);
            }
            if models.has(Model::OpenItems) {
                self.open_items.record(changed, &after);
            }
            if models.has(Model::Queued) {
                self.queued.record(changed, &after);
            }
            if models.has(Model::Waiting) {
                self.waiting.record(changed, &after);
            }
        }
    }

    /// Writes all rows of the read models that it is about, in one flight.
    pub(crate) async fn save(&self, to: &Target<'_, '_>, kept: &mut Kept) -> Result<(), Error> {
        let changed = &self.records.changed;
        try_join!(
            self.of_model(Model::Platforms, record::save::<Platform>(to, changed)),
            self.of_model(Model::Users, record::save::<User>(to, changed)),
            self.of_model(Model::Nodes, record::save::<Node>(to, changed)),
            self.of_model(Model::Transactions, transactions::save(to, changed)),
            self.of_model(Model::Custodies, record::save::<Custody>(to, changed)),
            self.of_model(Model::Operations, record::save::<Operation>(to, changed)),
            self.of_model(Model::Subnets, record::save::<Subnet>(to, changed)),
            self.of_model(Model::Subscriptions, record::save::<Subscription>(to, changed)),
            self.of_model(Model::Entries, self.entries.save(to)),
            self.of_model(Model::Balances, self.balances.save(to)),
            self.of_model(Model::Daily, self.daily.save(to)),
            self.of_model(Model::Ledger, self.ledger.save(to)),
            self.of_model(Model::ToDos, self.to_dos.save(to)),
            self.of_model(Model::Members, self.members.save(to, changed, &mut kept.counters)),
            self.of_model(Model::Parties, self.parties.save(to, &mut kept.lasts)),
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
