//! Version 1: one row per transaction and account. A page writes only the difference between the states before and
//! after it. The key of a row is a function of a state, so a row is found without reading it first.

use daybook_domain::State;
use daybook_pg::types::TimestampMs;
use uuid::Uuid;

use crate::error::Error;
use crate::models::projection::{ChangedRecord, DerivedRows, Projection};
use crate::store::sql::{self, Target};

/// Changes of open items that a page makes.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct OpenItems {
    set: Columns,
    gone: RemovedItems,
}

#[derive(Debug, Default, PartialEq)]
struct Columns {
    transactions: Vec<Uuid>,
    accounts: Vec<String>,
    platforms: Vec<Uuid>,
    currencies: Vec<String>,
    amounts: Vec<i64>,
    since: Vec<TimestampMs>,
}

#[derive(Debug, Default, PartialEq)]
struct RemovedItems {
    transactions: Vec<Uuid>,
    accounts: Vec<String>,
}

impl Projection for OpenItems {
    type Carry = ();

    fn record(&mut self, changed: &ChangedRecord, after: &DerivedRows) {
        let State::Transaction(transaction) = &changed.row.current.state else { return };
        let (before, after) = (&changed.before.open, &after.open);
        let id = Uuid::from_u128(changed.key.id);
        for (item, since) in after.iter().filter(|open| !before.contains(open)) {
            self.set.transactions.push(id);
            self.set.accounts.push(item.account.to_string());
            self.set.platforms.push(Uuid::from(transaction.platform));
            self.set.currencies.push(transaction.amount.currency.code().to_owned());
            self.set.amounts.push(item.amount);
            self.set.since.push(TimestampMs(since.ms()));
        }
        let is_closed = |account| after.iter().all(|(item, _)| item.account != account);
        for (item, _) in before.iter().filter(|(item, _)| is_closed(item.account)) {
            self.gone.transactions.push(id);
            self.gone.accounts.push(item.account.to_string());
        }
    }

    async fn save(&self, to: &Target<'_, '_>, _: &[ChangedRecord], (): &mut ()) -> Result<(), Error> {
        let Columns { transactions, accounts, platforms, currencies, amounts, since } = &self.set;
        let set: &sql::Columns<'_> = &[transactions, accounts, platforms, currencies, amounts, since];
        let RemovedItems { transactions: closed, accounts } = &self.gone;
        let gone: &sql::Columns<'_> = &[closed, accounts];
        futures::try_join!(
            sql::write(to, include_str!("delete.sql"), gone, closed.len()),
            sql::write(to, include_str!("save.sql"), set, transactions.len()),
        )?;
        Ok(())
    }
}

#[cfg(test)]
impl OpenItems {
    /// Does the same as [`Projection::save`], on a table in memory by transaction and account.
    pub(crate) fn write_to(&self, table: &mut std::collections::BTreeMap<(u128, String), (i64, i64)>) {
        for (transaction, account) in self.gone.transactions.iter().zip(&self.gone.accounts) {
            assert!(table.remove(&(transaction.as_u128(), account.clone())).is_some(), "{account}");
        }
        let Columns { transactions, accounts, amounts, since, .. } = &self.set;
        for (n, transaction) in transactions.iter().enumerate() {
            table.insert((transaction.as_u128(), accounts[n].clone()), (amounts[n], since[n].0));
        }
    }
}
