//! Open items of transactions, folded from their events. A transaction without open items takes no memory.

use std::collections::BTreeMap;

use daybook_domain::posting::{LedgerAccount, Postings};
use daybook_domain::transaction::{Event, WrittenOff};
use daybook_domain::{Currency, Timestamp, TransactionId};

/// Transactions that have open items.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenItems(BTreeMap<TransactionId, Items>);

#[derive(Clone, Debug)]
pub(super) struct Items {
    pub(super) currency: Currency,
    /// Amounts by account, in minor units; debit positive. None of them is 0.
    pub(super) accounts: BTreeMap<LedgerAccount, i64>,
    /// Time of the last step that moved money; `None` if the transaction had no open items after that step.
    pub(super) since: Option<Timestamp>,
}

/// True if the event is a step of the transaction that moves money; its open items are as old as the last such step.
#[must_use]
pub fn moves_money(event: &Event) -> bool {
    match event {
        Event::DebitStarted(_) => true,
        Event::CreditStarted(step) => step.postings.is_some(),
        Event::Settled(step) => step.postings.is_some(),
        Event::Canceled(step) => step.postings.is_some(),
        Event::Returned(step) => step.postings.is_some(),
        Event::Created(_)
        | Event::Commented(_)
        | Event::Queued(_)
        | Event::Released(_)
        | Event::Submitted(_)
        | Event::Cleared(_)
        | Event::Withdrawn(_)
        | Event::Announced(_)
        | Event::FeesRedirected(_)
        | Event::Reopened(_)
        | Event::WrittenOff(_)
        | Event::ReturnContested(_) => false,
    }
}

impl OpenItems {
    /// Adds the postings of an event.
    pub(super) fn post(&mut self, id: TransactionId, postings: &Postings, moved: Option<Timestamp>) {
        let lines = || postings.lines().iter().filter(|line| line.account.is_open_item());
        if lines().next().is_some() {
            let new = || Items { currency: postings.currency(), accounts: BTreeMap::new(), since: None };
            let items = self.0.entry(id).or_insert_with(new);
            lines().for_each(|line| items.add(line.account, line.amount));
        }
        if let (Some(items), Some(_)) = (self.0.get_mut(&id), moved) {
            items.since = moved;
        }
        self.forget(id);
    }

    /// Takes an amount away that was written off, and returns its currency.
    pub(super) fn write_off(&mut self, id: TransactionId, event: &WrittenOff) -> Option<Currency> {
        let items = self.0.get_mut(&id)?;
        items.add(event.account, event.amount.saturating_neg());
        let currency = items.currency;
        self.forget(id);
        Some(currency)
    }

    fn forget(&mut self, id: TransactionId) {
        if self.0.get(&id).is_some_and(|items| items.accounts.is_empty()) {
            self.0.remove(&id);
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (TransactionId, &Items)> + '_ {
        self.0.iter().map(|(id, items)| (*id, items))
    }
}

impl Items {
    fn add(&mut self, account: LedgerAccount, amount: i64) {
        let sum = self.accounts.entry(account).or_default();
        *sum = sum.saturating_add(amount);
        if *sum == 0 {
            self.accounts.remove(&account);
        }
    }
}
