//! The fold of a page alone, for whoever measures it and has no database.

use super::{Before, Page};
use crate::error::Error;
use crate::models::Models;
use crate::store::happened::Happened;

/// Folds `events`, with which the log begins, into what every read model changes; answers how many records do.
///
/// # Errors
///
/// [`Error::Broken`] if an event does not follow the one before it.
pub fn fold_page(events: &[Happened]) -> Result<usize, Error> {
    Ok(Page::of(Models::ALL, events.iter(), &mut Before::new())?.records.changed.len())
}
