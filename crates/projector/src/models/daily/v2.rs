//! Fold 2: amounts that are moved between days, with a row for each of the two days.

use super::{Days, Entry};
use crate::error::Error;
use crate::store::sql::Target;

/// Statements that create the table.
pub(super) const SCHEMA: &str = include_str!("v2/schema.sql");

/// Query for the amounts that are moved to an account's days up to a day, minus those moved away from these days.
pub(super) const AT: &str = include_str!("v2/at.sql");

/// Moves each entry that counts on another day than that of its recording.
pub(super) async fn save(entries: &[Entry], to: &Target<'_, '_>) -> Result<(), Error> {
    let mut days = Days::default();
    for entry in entries.iter().filter(|entry| entry.counts != entry.recorded) {
        days.add(entry.counts, entry);
        days.take(entry.recorded, entry);
    }
    days.save(to, include_str!("v2/save.sql")).await
}
