//! A page of the log: folded per aggregate in memory, then written with pipelined statements.

mod before;
#[cfg(feature = "testing")]
pub mod testing;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::num::NonZeroUsize;

pub(crate) use before::Source;
use before::{Before, before};
use daybook_domain::process::to_do;
use daybook_domain::{Key, State};
use lru::LruCache;

use crate::error::Error;
use crate::models::projection::{ChangedRecord, DerivedRows};
use crate::models::record::{Row, is_record};
use crate::models::{self, Changes, Model, Models};
use crate::store::fold::Versioned;
use crate::store::recorded_event::RecordedEvent;
use crate::store::sql::Target;

/// Number of rows that are kept from page to page: about 50 MB.
const MAX_CACHED_ROWS: NonZeroUsize = NonZeroUsize::new(50_000).unwrap();

/// Values that earlier pages leave for later ones. They are valid only while no other process moves the cursor.
pub(crate) struct PageCarry {
    rows: LruCache<Key, Row>,
    models: models::Carry,
}

impl Default for PageCarry {
    fn default() -> Self {
        Self { rows: LruCache::new(MAX_CACHED_ROWS), models: models::Carry::default() }
    }
}

/// Changes that a page of the log makes.
#[derive(Default)]
pub(crate) struct Page {
    models: Models,
    records: Records,
    changes: Changes,
}

impl Page {
    /// Folds `events` onto the rows that were kept, and for other records onto the rows read from `source`.
    pub(crate) async fn fold<'e>(
        models: Models,
        source: &Source<'_, '_>,
        events: impl Iterator<Item = &'e RecordedEvent> + Clone,
        kept: &mut PageCarry,
    ) -> Result<Self, Error> {
        let mut before = before(models, source, events.clone(), kept).await?;
        Self::of(models, events, &mut before)
    }

    /// Folds `events` onto the rows that they continue.
    fn of<'e>(
        models: Models,
        events: impl Iterator<Item = &'e RecordedEvent>,
        before: &mut Before,
    ) -> Result<Self, Error> {
        let mut page = Self { models, ..Self::default() };
        let (read, states) = (models.kinds(), models.states());
        for happened in events.filter(|happened| read.has(happened.key.kind)) {
            page.changes.event(models, happened);
            if states.need(happened) && is_record(happened.key) {
                let state = page.records.apply(happened, before)?;
                page.changes.state(models, happened, state);
            }
        }
        if models.any(Model::is_derived) {
            for changed in &page.records.changed {
                page.changes.record(models, changed, &DerivedRows::of(&changed.row.current.state));
            }
        }
        Ok(page)
    }

    /// Writes all rows of its read models; the statements are pipelined.
    pub(crate) async fn save(&self, to: &Target<'_, '_>, kept: &mut PageCarry) -> Result<(), Error> {
        Box::pin(self.changes.save(self.models, to, &self.records.changed, &mut kept.models)).await
    }

    /// Keeps the rows that will soon change again: those of records with a to-do.
    pub(crate) fn keep(self, kept: &mut PageCarry) {
        for changed in self.records.changed {
            if to_do(&changed.row.current.state).is_some() {
                kept.rows.put(changed.key, changed.row);
            }
        }
    }
}

/// The records that a page changes, in the order of their first event in the page.
#[derive(Default)]
struct Records {
    changed: Vec<ChangedRecord>,
    places: HashMap<Key, usize>,
}

impl Records {
    /// Folds one event and returns the state after it.
    fn apply(&mut self, happened: &RecordedEvent, before: &mut Before) -> Result<&State, Error> {
        let RecordedEvent { key, position, .. } = *happened;
        let place = *self.places.entry(key).or_insert(self.changed.len());
        if let Some(changed) = self.changed.get_mut(place) {
            changed.row.current.fold(happened)?;
        } else if let Some(mut row) = before.remove(&key) {
            let before = DerivedRows::of(&row.current.state);
            row.current.fold(happened)?;
            self.changed.push(ChangedRecord { key, row, is_new: false, before });
        } else {
            let row = Row { position, current: Versioned::begin(happened)? };
            self.changed.push(ChangedRecord { key, row, is_new: true, before: DerivedRows::default() });
        }
        Ok(&self.changed[place].row.current.state)
    }
}
