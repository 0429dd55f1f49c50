//! Version 1: one row per file and one per entry, inserted when the file is cut.

use daybook_domain::{Event, custody};
use uuid::Uuid;

use crate::error::Error;
use crate::models::projection::{ChangedRecord, Projection};
use crate::store::recorded_event::RecordedEvent;
use crate::store::sql::{self, Target};

/// The files that a page of the log cuts.
#[derive(Default)]
pub(crate) struct Files {
    ids: Vec<Uuid>,
    custodies: Vec<Uuid>,
    numbers: Vec<i64>,
    positions: Vec<i64>,
    entries: Entries,
}

#[derive(Default)]
struct Entries {
    custodies: Vec<Uuid>,
    traces: Vec<i32>,
    positions: Vec<i64>,
    transactions: Vec<Uuid>,
}

impl Projection for Files {
    type Carry = ();

    fn event(&mut self, happened: &RecordedEvent) {
        let Event::Custody(custody::Event::FileCut(cut)) = &happened.event else { return };
        let (custody, position) = (Uuid::from_u128(happened.key.id), sql::to_i64(happened.position));
        self.ids.push(Uuid::from(cut.file));
        self.custodies.push(custody);
        self.numbers.push(sql::to_i64(cut.number.saturating_add(1)));
        self.positions.push(position);
        for item in &cut.items {
            self.entries.custodies.push(custody);
            self.entries.traces.push(sql::to_i32(item.trace));
            self.entries.positions.push(position);
            self.entries.transactions.push(Uuid::from(item.transaction));
        }
    }

    async fn save(&self, to: &Target<'_, '_>, _: &[ChangedRecord], (): &mut ()) -> Result<(), Error> {
        let Self { ids, custodies, numbers, positions, entries } = self;
        let cut: &sql::Columns<'_> = &[ids, custodies, numbers, positions];
        let Entries { custodies, traces, positions, transactions } = entries;
        let items: &sql::Columns<'_> = &[custodies, traces, positions, transactions];
        futures::try_join!(
            sql::insert(to, include_str!("insert.sql"), cut, ids.len()),
            sql::insert(to, include_str!("insert_traces.sql"), items, traces.len()),
        )?;
        Ok(())
    }
}
