//! Fold 1: one row per account and day. A page updates it once, however many entries the page has.

use super::{Days, Entry};
use crate::error::Error;
use crate::store::sql::Target;

/// Statements that create the table.
pub(super) const SCHEMA: &str = include_str!("v1/schema.sql");

/// Query for the sum of an account's days up to a day.
pub(super) const AT: &str = include_str!("v1/at.sql");

/// Adds each entry to the day on which it counts.
pub(super) async fn save(entries: &[Entry], to: &Target<'_, '_>) -> Result<(), Error> {
    let mut days = Days::default();
    for entry in entries {
        days.add(entry.counts, entry);
    }
    days.save(to, include_str!("v1/save.sql")).await
}
