//! Version 1: one row per account, written once per page however many entries the page has.

use std::collections::HashMap;

use daybook_domain::account::Entry;
use daybook_domain::{Event, account};
use uuid::Uuid;

use crate::decode::Happened;
use crate::error::Error;
use crate::projection::Projection;
use crate::sql::{self, Target};

/// The last entry of each account in a page.
#[derive(Default)]
pub(crate) struct Balances(HashMap<u128, Last>);

struct Last {
    n: u32,
    position: u64,
    entry: Entry,
}

impl Projection for Balances {
    fn event(&mut self, happened: &Happened) {
        let Event::Account(account::Event::Entry(entry)) = &happened.event else { return };
        let last = Last { n: happened.version, position: happened.position, entry: entry.clone() };
        self.0.insert(happened.key.id, last);
    }

    async fn save(&self, to: &Target<'_, '_>) -> Result<(), Error> {
        let accounts: Vec<_> = self.0.keys().map(|id| Uuid::from_u128(*id)).collect();
        let nodes: Vec<_> = self.0.values().map(|last| Uuid::from_u128(last.entry.node.as_u128())).collect();
        let currencies: Vec<_> = self.0.values().map(|last| last.entry.currency.code()).collect();
        let numbers: Vec<_> = self.0.values().map(|last| sql::to_i32(last.n)).collect();
        let positions: Vec<_> = self.0.values().map(|last| sql::to_i64(last.position)).collect();
        let posted: Vec<_> = self.0.values().map(|last| last.entry.posted).collect();
        let held: Vec<_> = self.0.values().map(|last| last.entry.held).collect();
        let pending_in: Vec<_> = self.0.values().map(|last| last.entry.pending_in).collect();
        let params: &sql::Columns<'_> =
            &[&accounts, &nodes, &currencies, &numbers, &positions, &posted, &held, &pending_in];
        sql::write(to, include_str!("save.sql"), params, accounts.len()).await
    }
}
