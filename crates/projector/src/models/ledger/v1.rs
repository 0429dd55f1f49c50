//! Version 1: one row per platform, currency and ledger account, to which a page adds its sums.

use uuid::Uuid;

use super::Sums;
use crate::error::Error;
use crate::models::projection::{ChangedRecord, Projection};
use crate::store::recorded_event::RecordedEvent;
use crate::store::sql::{self, Target};

/// The sums of the postings of a page.
#[derive(Default)]
pub(crate) struct Ledger(Sums);

impl Projection for Ledger {
    type Carry = ();

    fn event(&mut self, happened: &RecordedEvent) {
        self.0.add(happened.platform, &happened.event);
    }

    async fn save(&self, to: &Target<'_, '_>, _: &[ChangedRecord], (): &mut ()) -> Result<(), Error> {
        let rows = self.0.rows();
        let platforms: Vec<_> = rows.iter().map(|row| Uuid::from(row.platform)).collect();
        let currencies: Vec<_> = rows.iter().map(|row| row.currency.code()).collect();
        let accounts: Vec<_> = rows.iter().map(|row| row.account.as_str()).collect();
        let debits: Vec<_> = rows.iter().map(|row| row.debits.to_string()).collect();
        let credits: Vec<_> = rows.iter().map(|row| row.credits.to_string()).collect();
        let params: &sql::Columns<'_> = &[&platforms, &currencies, &accounts, &debits, &credits];
        sql::write(to, include_str!("save.sql"), params, rows.len()).await
    }
}
