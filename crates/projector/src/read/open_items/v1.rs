//! Version 1: one row per transaction and account; a page writes only the difference between before and after it.

use daybook_domain::State;
use daybook_domain::transaction::OpenItem;
use daybook_log::Shard;
use daybook_pg::Transaction;
use daybook_pg::types::TimestampMs;
use uuid::Uuid;

use crate::error::Error;
use crate::projection::{Changed, Projection};
use crate::sql;

/// What a page changes about what is open.
#[derive(Default)]
pub(crate) struct OpenItems {
    transactions: Vec<Uuid>,
    accounts: Vec<String>,
    platforms: Vec<Uuid>,
    currencies: Vec<String>,
    amounts: Vec<i64>,
    since: Vec<TimestampMs>,
    gone: (Vec<Uuid>, Vec<String>),
}

impl Projection for OpenItems {
    fn record(&mut self, changed: &Changed) {
        let State::Transaction(transaction) = &changed.row.current.state else { return };
        let (before, after) = (&changed.before.open_items, transaction.open_items());
        let id = Uuid::from_u128(changed.key.id);
        for OpenItem { account, amount } in after.iter().filter(|item| !before.contains(item)) {
            self.transactions.push(id);
            self.accounts.push(account.to_string());
            self.platforms.push(Uuid::from_u128(transaction.platform.as_u128()));
            self.currencies.push(transaction.amount.currency.code().to_owned());
            self.amounts.push(*amount);
            self.since.push(TimestampMs(transaction.open_since().ms()));
        }
        let is_gone = |item: &&OpenItem| after.iter().all(|now| now.account != item.account);
        for item in before.iter().filter(is_gone) {
            self.gone.0.push(id);
            self.gone.1.push(item.account.to_string());
        }
    }

    async fn save(&self, tx: &Transaction<'_>, shard: Shard) -> Result<(), Error> {
        let Self { transactions, accounts, platforms, currencies, amounts, since, gone } = self;
        let set: &sql::Params<'_> = &[&shard, transactions, accounts, platforms, currencies, amounts, since];
        let gone_params: &sql::Params<'_> = &[&shard, &gone.0, &gone.1];
        futures::try_join!(
            sql::write(tx, include_str!("delete.sql"), shard, gone_params, gone.0.len()),
            sql::write(tx, include_str!("save.sql"), shard, set, transactions.len()),
        )?;
        Ok(())
    }
}
