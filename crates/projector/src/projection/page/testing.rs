//! The fold of a page without a database, for benchmarks.

use super::{Before, Page};
use crate::error::Error;
use crate::models::Models;
use crate::store::recorded_event::RecordedEvent;

/// Folds `events`, the first ones of a log, into the changes of every read model. Returns the number of changed
/// records.
///
/// # Errors
///
/// [`Error::Broken`] if an event does not continue its stream.
pub fn fold_page(events: &[RecordedEvent]) -> Result<usize, Error> {
    Ok(Page::of(Models::ALL, events.iter(), &mut Before::new())?.records.changed.len())
}
