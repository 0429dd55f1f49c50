//! Balances: the newest numbers of each account, in one row. A page writes the row once, however many entries it has.
//!
//! Balances that are shown to a caller come from the newest entries in the log ([`crate::Aggregates::accounts_since`]).
//! This table serves sums over many accounts.
//!
//! Fold 2 stores the platform, so that the sum of a platform's accounts needs no other table. Fold 1 does not. It feeds
//! the table of a database that is older than fold 2, until that table is rebuilt and dropped.

mod v1;
mod v2;

use std::borrow::Cow;
use std::collections::BTreeMap;

use daybook_domain::account::Entry;
use daybook_domain::{Kind, PlatformId};
use uuid::Uuid;

use super::Model;
use crate::error::Error;
use crate::models::projection::{ChangedRecord, Projection};
use crate::store::model::{Definition, MadeOf};
use crate::store::recorded_event::RecordedEvent;
use crate::store::sql::{self, Column, Target};

/// Declaration of the read model.
pub(crate) const MODEL: Definition = Definition {
    fold: 2,
    tells_past: true,
    reshaped,
    ..Definition::new(&["balances"], &[Kind::Account], MadeOf::Events, schema)
};

/// Returns the statements that create the table of a fold.
fn schema(fold: u16) -> Cow<'static, str> {
    if fold == 1 { v1::SCHEMA.into() } else { v2::SCHEMA.into() }
}

/// Columns that have different names in two folds: the name in the new fold, and the one in the old fold.
const fn reshaped(old: u16, new: u16) -> &'static [(&'static str, &'static str)] {
    match (old, new) {
        (1, 2) => &[("entries", "n")],
        (2, 1) => &[("n", "entries")],
        _ => &[],
    }
}

/// The last entry of each account in a page.
#[derive(Default)]
pub(crate) struct Balances(BTreeMap<u128, Last>);

struct Last {
    platform: PlatformId,
    n: u32,
    position: u64,
    entry: Entry,
}

impl Projection for Balances {
    type Carry = ();

    fn event(&mut self, happened: &RecordedEvent) {
        let Some(entry) = happened.entry() else { return };
        let RecordedEvent { platform, version, position, .. } = *happened;
        self.0.insert(happened.key.id, Last { platform, n: version, position, entry: entry.clone() });
    }

    async fn save(&self, to: &Target<'_, '_>, _: &[ChangedRecord], (): &mut ()) -> Result<(), Error> {
        match to.tables.fold(Model::BALANCES) {
            1 => v1::save(&self.rows(), to).await,
            _ => v2::save(&self.rows(), to).await,
        }
    }
}

impl Balances {
    fn rows(&self) -> Rows<'_> {
        let id = |id: u128| Uuid::from_u128(id);
        let last = || self.0.values();
        Rows {
            accounts: self.0.keys().copied().map(id).collect(),
            platforms: last().map(|last| id(last.platform.as_u128())).collect(),
            nodes: last().map(|last| id(last.entry.node.as_u128())).collect(),
            currencies: last().map(|last| last.entry.currency.code()).collect(),
            numbers: last().map(|last| sql::to_i32(last.n)).collect(),
            positions: last().map(|last| sql::to_i64(last.position)).collect(),
            posted: last().map(|last| last.entry.posted).collect(),
            held: last().map(|last| last.entry.held).collect(),
            pending_in: last().map(|last| last.entry.pending_in).collect(),
        }
    }
}

/// The same rows, column by column.
struct Rows<'a> {
    accounts: Vec<Uuid>,
    platforms: Vec<Uuid>,
    nodes: Vec<Uuid>,
    currencies: Vec<&'a str>,
    numbers: Vec<i32>,
    positions: Vec<i64>,
    posted: Vec<i64>,
    held: Vec<i64>,
    pending_in: Vec<i64>,
}

impl Rows<'_> {
    /// Returns the columns that both folds have.
    fn shared(&self) -> [&dyn Column; 8] {
        [
            &self.accounts,
            &self.nodes,
            &self.currencies,
            &self.numbers,
            &self.positions,
            &self.posted,
            &self.held,
            &self.pending_in,
        ]
    }
}
