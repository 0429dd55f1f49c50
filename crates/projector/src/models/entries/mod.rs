//! Entries: an index into the streams of accounts, by which the last entry at or before a position is found.
//!
//! An entry is an event of its account and contains the numbers after it, so the log has all of them. Fold 2 stores the
//! position of every sixteenth entry: one probe finds the stored entry before the position, and the next 16 entries
//! contain the result.
//!
//! Fold 1 has a row for each entry, with the content of the event. It feeds the table of a database that is older than
//! fold 2, until that table is rebuilt and dropped.

mod v1;
mod v2;

use std::borrow::Cow;

use daybook_domain::account::Entry;
use daybook_domain::{Kind, Timestamp};

use super::Model;
use crate::error::Error;
use crate::models::projection::{ChangedRecord, Projection};
use crate::store::model::{Definition, MadeOf};
use crate::store::recorded_event::RecordedEvent;
use crate::store::sql::Target;

/// Distance between two entries that both folds store.
pub(crate) const STRIDE: u32 = 16;

/// Query for the start of the search for the last entries of accounts, each at or before a position: shard, accounts,
/// positions.
pub(crate) const AT_EACH: &str = include_str!("at_each.sql");

/// Declaration of the read model.
pub(crate) const MODEL: Definition = Definition {
    fold: 2,
    tells_past: true,
    compared: |_, old, new| if old == new { None } else { Some(SHARED) },
    ..Definition::new(&["entries"], &[Kind::Account], MadeOf::Events, schema)
};

/// Returns the statements that create the table of a fold.
fn schema(fold: u16) -> Cow<'static, str> {
    if fold == 1 { v1::SCHEMA.into() } else { v2::SCHEMA.into() }
}

/// Condition on the rows that both folds have.
const SHARED: &str = "n % 16 = 1";

/// The entries of a page.
#[derive(Default)]
pub(crate) struct Entries(Vec<Row>);

struct Row {
    account: u128,
    n: u32,
    position: u64,
    recorded_at: Timestamp,
    cause: u128,
    /// Changes of `posted`, `held` and `pending_in`, then these numbers after the entry; in minor units.
    amounts: [i64; 6],
}

impl Projection for Entries {
    type Carry = ();

    fn event(&mut self, happened: &RecordedEvent) {
        let Some(entry) = happened.entry() else { return };
        let RecordedEvent { key, version: n, position, recorded_at, .. } = *happened;
        let Entry { delta, hold_delta, pending_delta, posted, held, pending_in, .. } = *entry;
        let amounts = [delta, hold_delta, pending_delta, posted, held, pending_in];
        let cause = entry.cause.as_u128();
        self.0.push(Row { account: key.id, n, position, recorded_at, cause, amounts });
    }

    async fn save(&self, to: &Target<'_, '_>, _: &[ChangedRecord], (): &mut ()) -> Result<(), Error> {
        match to.tables.fold(Model::ENTRIES) {
            1 => v1::save(&self.0, to).await,
            _ => v2::save(&self.0, to).await,
        }
    }
}
