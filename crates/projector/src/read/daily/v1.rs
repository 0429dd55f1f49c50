//! Version 1: one row per account and day, added to once per page however many entries the page has.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::day_of;
use crate::decode::Happened;
use crate::error::Error;
use crate::projection::Projection;
use crate::sql::{self, Target};

/// What a page adds to days, by account and day.
#[derive(Default)]
pub(crate) struct Daily(BTreeMap<(u128, i32), Sum>);

#[derive(Default)]
struct Sum {
    delta: i64,
    entries: u32,
    last_n: u32,
}

impl Projection for Daily {
    fn event(&mut self, happened: &Happened) {
        let Some(entry) = happened.entry() else { return };
        let sum = self.0.entry((happened.key.id, day_of(happened.effective_at))).or_default();
        // Nine million of the largest amounts would have to come in one page before this does not fit.
        sum.delta = sum.delta.saturating_add(entry.delta);
        sum.entries += 1;
        sum.last_n = happened.version;
    }

    async fn save(&self, to: &Target<'_, '_>) -> Result<(), Error> {
        let accounts: Vec<_> = self.0.keys().map(|(account, _)| Uuid::from_u128(*account)).collect();
        let days: Vec<_> = self.0.keys().map(|(_, day)| *day).collect();
        let deltas: Vec<_> = self.0.values().map(|sum| sum.delta).collect();
        let entries: Vec<_> = self.0.values().map(|sum| sql::to_i32(sum.entries)).collect();
        let last: Vec<_> = self.0.values().map(|sum| sql::to_i32(sum.last_n)).collect();
        let params: &sql::Columns<'_> = &[&accounts, &days, &deltas, &entries, &last];
        sql::write(to, include_str!("save.sql"), params, accounts.len()).await
    }
}
