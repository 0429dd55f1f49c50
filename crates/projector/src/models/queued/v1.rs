//! Version 1: one row per queued transaction, by the position of its creation.

use daybook_domain::State;
use uuid::Uuid;

use crate::error::Error;
use crate::models::projection::{ChangedRecord, DerivedRows, Projection};
use crate::store::sql::{self, Target};

/// Changes of queued transactions that a page makes.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Queued {
    set: Columns,
    gone: Columns,
}

#[derive(Debug, Default, PartialEq)]
struct Columns {
    platforms: Vec<Uuid>,
    positions: Vec<i64>,
    ids: Vec<Uuid>,
}

impl Projection for Queued {
    type Carry = ();

    fn record(&mut self, changed: &ChangedRecord, after: &DerivedRows) {
        let State::Transaction(transaction) = &changed.row.current.state else { return };
        let rows = match (changed.before.waits_for.is_some(), after.waits_for.is_some()) {
            (false, true) => &mut self.set,
            (true, false) => &mut self.gone,
            (false, false) | (true, true) => return,
        };
        rows.platforms.push(Uuid::from(transaction.platform));
        rows.positions.push(sql::to_i64(changed.row.position));
        rows.ids.push(Uuid::from_u128(changed.key.id));
    }

    async fn save(&self, to: &Target<'_, '_>, _: &[ChangedRecord], (): &mut ()) -> Result<(), Error> {
        let Columns { platforms, positions, ids } = &self.set;
        let set: &sql::Columns<'_> = &[platforms, positions, ids];
        let Columns { platforms, positions, ids: gone_ids } = &self.gone;
        let gone: &sql::Columns<'_> = &[platforms, positions];
        futures::try_join!(
            sql::write(to, include_str!("delete.sql"), gone, gone_ids.len()),
            sql::write(to, include_str!("insert.sql"), set, ids.len()),
        )?;
        Ok(())
    }
}

#[cfg(test)]
impl Queued {
    /// Does the same as [`Projection::save`], on a table in memory by position.
    pub(crate) fn write_to(&self, table: &mut std::collections::BTreeMap<i64, u128>) {
        for position in &self.gone.positions {
            assert!(table.remove(position).is_some(), "{position}");
        }
        for (position, id) in self.set.positions.iter().zip(&self.set.ids) {
            assert_eq!(table.insert(*position, id.as_u128()), None, "{position}");
        }
    }
}
