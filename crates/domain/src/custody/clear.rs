//! Clear open items by the lines of a statement. A line that clears nothing is posted to suspense until an operator
//! explains it.

use super::Custody;
use super::event::Booked;
use crate::aggregate::NewEvent;
use crate::id::{CustodyId, TransactionId};
use crate::money::Currency;
use crate::posting::{LedgerAccount, Posting, Postings};
use crate::state::{After, States};
use crate::time::Timestamp;
use crate::transaction::{self, OpenItem};

/// A line of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The bank's id of the line.
    pub id: String,
    /// Minor units; positive for money onto the account. 0: an entry and its return met at the bank before either was
    /// booked.
    pub amount: i64,
    /// Transaction to which the reference of the line leads.
    pub transaction: Option<TransactionId>,
}

/// Clearing of lines at one account of a bank.
pub(crate) struct Clearing<'a> {
    pub(crate) custody: CustodyId,
    /// State of the custody.
    pub(crate) of: &'a Custody,
    /// Currency of the lines.
    pub(crate) currency: Currency,
}

/// Result of a clearing.
pub(crate) struct Cleared {
    /// The lines, each with the open item that it clears.
    pub(crate) lines: Vec<Booked>,
    /// Events of the transactions whose items are cleared.
    pub(crate) facts: Vec<NewEvent>,
    /// Bank against suspense, a pair for each unexplained line.
    pub(crate) postings: Option<Postings>,
}

impl Clearing<'_> {
    /// Clears open items by `lines`, in their order.
    pub(crate) fn clear(&self, states: &impl States, lines: &[Line], at: Timestamp) -> Cleared {
        let mut after = After::new(states);
        let (mut facts, mut booked, mut unexplained) = (vec![], vec![], vec![]);
        for line in lines {
            let cleared = self.explain(&after, line);
            let explains = cleared.as_ref().map(|(id, account, _)| (*id, *account));
            if let Some((id, _, postings)) = cleared {
                let line = line.id.clone();
                let fact = NewEvent::new(id, transaction::Cleared { custody: self.custody, line, postings });
                after.take(std::slice::from_ref(&fact), at);
                facts.push(fact);
            } else {
                unexplained
                    .extend((line.amount != 0).then_some((LedgerAccount::Bank(self.of.bank), line.amount)));
            }
            booked.push(Booked { id: line.id.clone(), amount: line.amount, explains });
        }
        Cleared { lines: booked, facts, postings: self.suspend(&unexplained) }
    }

    /// The open item that `line` clears, wholly or in part, and the postings that clear it.
    fn explain(&self, states: &impl States, line: &Line) -> Option<(TransactionId, LedgerAccount, Postings)> {
        let id = line.transaction?;
        let transaction = states.transaction(id).filter(|it| it.platform == self.of.platform)?;
        if transaction.amount.currency != self.currency {
            return None;
        }
        let open = transaction.open_items();
        if line.amount == 0 {
            return self.meet(&open).map(|(account, postings)| (id, account, postings));
        }
        let covers = |item: &&OpenItem| {
            item.amount.signum() == line.amount.signum() && item.amount.abs() >= line.amount.abs()
        };
        // A line that equals one item is not part of a larger item.
        let whole = open.iter().find(|item| item.amount == line.amount);
        let item = whole.or_else(|| open.iter().find(covers))?;
        let lines = [(LedgerAccount::Bank(self.of.bank), line.amount), (item.account, -line.amount)];
        Some((id, item.account, self.postings(&lines)?))
    }

    /// Finds an entry and its own return that met at the bank, and the postings that clear both. Two legs of a
    /// transaction never clear each other.
    fn meet(&self, open: &[OpenItem]) -> Option<(LedgerAccount, Postings)> {
        let (entry, counterpart) = open.iter().find_map(|entry| {
            let back = match entry.account {
                LedgerAccount::RailIn(_) => LedgerAccount::ReturnOut,
                LedgerAccount::RailOut(_) => LedgerAccount::ReturnIn,
                LedgerAccount::Node(_)
                | LedgerAccount::Transit
                | LedgerAccount::ReturnIn
                | LedgerAccount::ReturnOut
                | LedgerAccount::Bank(_)
                | LedgerAccount::Suspense => return None,
            };
            let other = open.iter().find(|other| other.account == back && other.amount == -entry.amount)?;
            Some((entry, other))
        })?;
        let lines = [(entry.account, -entry.amount), (counterpart.account, -counterpart.amount)];
        Some((entry.account, self.postings(&lines)?))
    }

    /// Postings of the bank against suspense, a pair for each unexplained line.
    fn suspend(&self, unexplained: &[(LedgerAccount, i64)]) -> Option<Postings> {
        let against =
            |&(bank, amount): &(LedgerAccount, i64)| [(bank, amount), (LedgerAccount::Suspense, -amount)];
        let lines: Vec<_> = unexplained.iter().flat_map(against).collect();
        (!lines.is_empty()).then(|| self.postings(&lines)).flatten()
    }

    fn postings(&self, lines: &[(LedgerAccount, i64)]) -> Option<Postings> {
        let lines = lines.iter().map(|&(account, amount)| Posting { account, amount }).collect();
        Postings::new(self.currency, lines).ok()
    }
}
