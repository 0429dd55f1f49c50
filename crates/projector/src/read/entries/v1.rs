//! Version 1: one row per entry.

use daybook_domain::{Event, account};
use daybook_pg::types::TimestampMs;
use uuid::Uuid;

use crate::decode::Happened;
use crate::error::Error;
use crate::projection::Projection;
use crate::sql::{self, Target};

/// The entries of a page, column by column.
#[derive(Default)]
pub(crate) struct Entries {
    accounts: Vec<Uuid>,
    numbers: Vec<i32>,
    positions: Vec<i64>,
    causes: Vec<Uuid>,
    deltas: Vec<i64>,
    hold_deltas: Vec<i64>,
    pending_deltas: Vec<i64>,
    posted: Vec<i64>,
    held: Vec<i64>,
    pending_in: Vec<i64>,
    recorded_at: Vec<TimestampMs>,
}

impl Projection for Entries {
    fn event(&mut self, happened: &Happened) {
        let Event::Account(account::Event::Entry(entry)) = &happened.event else { return };
        self.accounts.push(Uuid::from_u128(happened.key.id));
        self.numbers.push(sql::to_i32(happened.version));
        self.positions.push(sql::to_i64(happened.position));
        self.causes.push(Uuid::from_u128(entry.cause.as_u128()));
        self.deltas.push(entry.delta);
        self.hold_deltas.push(entry.hold_delta);
        self.pending_deltas.push(entry.pending_delta);
        self.posted.push(entry.posted);
        self.held.push(entry.held);
        self.pending_in.push(entry.pending_in);
        self.recorded_at.push(TimestampMs(happened.recorded_at.ms()));
    }

    async fn save(&self, to: &Target<'_, '_>) -> Result<(), Error> {
        let Self { accounts, numbers, positions, causes, deltas, hold_deltas, pending_deltas, .. } = self;
        let Self { posted, held, pending_in, recorded_at, .. } = self;
        let insert = include_str!("insert.sql");
        let params: &sql::Columns<'_> = &[
            accounts,
            numbers,
            positions,
            causes,
            deltas,
            hold_deltas,
            pending_deltas,
            posted,
            held,
            pending_in,
            recorded_at,
        ];
        sql::insert(to, insert, params, accounts.len()).await
    }
}
