//! Movements: what each step of a transaction does to the ledger and to the accounts of held nodes. Used inside
//! decisions only; the postings are stored with the event and never derived again.
//!
//! A amount, F sum of fees, N = A − F; S sender, R receiver, L fee nodes:
//!
//! | created | debit | credit | settled |
//! |---|---|---|---|
//! | hold A on S | release hold; Dr S A, Cr transit A | pending-in N on R | Dr transit A; Cr R N, Cr L F |
//!
//! Money from outside: Dr rail.in A, Cr R A. A cancel takes every cent from where it lies back to where it came from.

use std::collections::BTreeMap;

use crate::account::{Change, Limit, Shortfall};
use crate::aggregate::Fact;
use crate::id::{AccountId, NodeId, TransactionId};
use crate::money::{Currency, Money};
use crate::posting::{LedgerAccount, Postings, Rail};
use crate::state::States;
use crate::transaction::Transaction;

/// Balanced postings with the changes of the accounts that they touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Movement {
    /// What moves; none if the step only holds or announces.
    pub postings: Option<Postings>,
    changes: BTreeMap<NodeId, Change>,
}

impl Movement {
    fn of(postings: Option<Postings>) -> Self {
        let mut changes: BTreeMap<NodeId, Change> = BTreeMap::new();
        for (node, amount) in postings.iter().flat_map(Postings::node_changes) {
            changes.entry(node).or_default().posted += amount;
        }
        Self { postings, changes }
    }

    fn with_hold(mut self, node: Option<NodeId>, held: i64) -> Self {
        if let Some(node) = node.filter(|_| held != 0) {
            self.changes.entry(node).or_default().held += held;
        }
        self
    }

    fn with_pending(mut self, node: Option<NodeId>, pending_in: i64) -> Self {
        if let Some(node) = node.filter(|_| pending_in != 0) {
            self.changes.entry(node).or_default().pending_in += pending_in;
        }
        self
    }

    /// The entries that make the changes, one per account.
    ///
    /// # Errors
    ///
    /// [`Shortfall`] if an account has less than the movement takes.
    pub fn entries(
        &self,
        states: &impl States,
        currency: Currency,
        limit: Limit,
        cause: TransactionId,
    ) -> Result<Vec<Fact>, Shortfall> {
        let entry = |(&node, &change): (&NodeId, &Change)| {
            let entry = states.account(node, currency).enter(change, limit, cause)?;
            Ok(Fact::new(AccountId::of(node, currency), entry))
        };
        self.changes.iter().map(entry).collect()
    }
}

/// Creation: `amount` is held on the sender.
#[must_use]
pub fn hold(sender: NodeId, amount: Money) -> Movement {
    Movement::default().with_hold(Some(sender), amount.minor)
}

/// Debit: the hold goes, the amount is taken into transit.
#[must_use]
pub fn debit(transaction: &Transaction) -> Movement {
    let Money { minor, currency } = transaction.amount;
    let postings = transaction.from.node().map(|sender| {
        Postings::transfer(currency, LedgerAccount::Node(sender), &[(LedgerAccount::Transit, minor)])
    });
    Movement::of(postings).with_hold(transaction.from.node(), -transaction.hold)
}

/// Credit: what the receiver will get is announced.
#[must_use]
pub fn credit(transaction: &Transaction) -> Movement {
    Movement::default().with_pending(transaction.to.node(), transaction.net_minor())
}

/// Settlement: transit is given to the receiver and to the fee nodes.
#[must_use]
pub fn settle(transaction: &Transaction) -> Movement {
    let receiver = transaction.to.node().map(|node| (LedgerAccount::Node(node), transaction.net_minor()));
    let fees = transaction.fees.iter().map(|fee| (LedgerAccount::Node(fee.to), fee.minor));
    let credits: Vec<_> = receiver.into_iter().chain(fees).collect();
    let postings = Postings::transfer(transaction.amount.currency, LedgerAccount::Transit, &credits);
    Movement::of(Some(postings)).with_pending(transaction.to.node(), -transaction.pending_in)
}

/// Money from outside, over `rail`, onto a held node.
#[must_use]
pub fn receive(rail: Rail, receiver: NodeId, amount: Money) -> Movement {
    let credits = [(LedgerAccount::Node(receiver), amount.minor)];
    Movement::of(Some(Postings::transfer(amount.currency, LedgerAccount::RailIn(rail), &credits)))
}

/// Cancel: every cent back to where it came from; holds and announcements go.
#[must_use]
pub fn unwind(transaction: &Transaction) -> Movement {
    Movement::of(Postings::undo(&transaction.net))
        .with_hold(transaction.from.node(), -transaction.hold)
        .with_pending(transaction.to.node(), -transaction.pending_in)
}

#[cfg(test)]
mod tests;
