//! Movements: the effect of each step of a transaction on the ledger and on the accounts of held nodes. Only decisions
//! use them. The postings are stored with the event and never derived again.
//!
//! A is the amount, F the sum of the fees, N = A − F; S the sender, R the receiver, L the fee nodes. A party is held
//! here or outside (on a rail):
//!
//! | | created | debit | credit | settled |
//! |---|---|---|---|---|
//! | S held | hold A on S | release hold; Dr S A, Cr transit A | | |
//! | S outside | | Dr rail.in A, Cr transit A | | |
//! | R held | | | pending-in N on R | Dr transit A; Cr R N, Cr L F |
//! | R outside | | | Dr transit N, Cr rail.out N | Dr transit F, Cr L F |
//!
//! Any account with a daily limit gets its pending amount with the debit. A fee whose node cannot be credited goes to
//! R, or to the reserve (`crates/domain/src/transaction/redirect.rs`).
//!
//! Money from outside that settles at once: Dr rail.in A, Cr R A. Money to the outside: Dr S A, Cr rail.out A. A
//! reversal moves every cent back to the account that it came from.

use std::collections::BTreeMap;

use crate::account::{Cause, Change, Shortfall, Terms};
use crate::aggregate::NewEvent;
use crate::id::{AccountId, NodeId, PlatformId};
use crate::money::{Currency, Money};
use crate::platform::policy;
use crate::posting::{LedgerAccount, Postings};
use crate::state::States;
use crate::time::Timestamp;
use crate::transaction::{Announcement, Direction, Transaction};

/// Balanced postings, and the changes of the accounts that they touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Movement {
    /// The postings; `None` if the step only holds or announces money.
    pub postings: Option<Postings>,
    changes: BTreeMap<NodeId, Change>,
}

/// Context of a movement: the platform, the cause, the time, and the terms on which accounts change.
#[derive(Clone, Copy, Debug)]
pub struct PostingContext {
    platform: PlatformId,
    cause: Cause,
    terms: fn(floor: i64) -> Terms,
    /// Time of the step, by the platform's clock.
    pub at: Timestamp,
}

impl PostingContext {
    /// Context of a step forward: money moves towards its recipients.
    pub fn forward(platform: PlatformId, cause: impl Into<Cause>, at: Timestamp) -> Self {
        Self { platform, cause: cause.into(), terms: Terms::Forward, at }
    }

    /// Context of an operator's correction.
    pub fn correction(platform: PlatformId, cause: impl Into<Cause>, at: Timestamp) -> Self {
        Self { platform, cause: cause.into(), terms: Terms::Correction, at }
    }

    /// Context of a reversal: money that has not left goes back.
    pub fn reversal(platform: PlatformId, cause: impl Into<Cause>, at: Timestamp) -> Self {
        Self { platform, cause: cause.into(), terms: |_| Terms::Reversal, at }
    }

    /// Context of a return: money that had left comes back.
    pub fn returned(platform: PlatformId, cause: impl Into<Cause>, at: Timestamp) -> Self {
        Self { platform, cause: cause.into(), terms: |_| Terms::Returned, at }
    }
}

impl Movement {
    /// The changes that `postings` make to the accounts of held nodes.
    #[must_use]
    pub fn of(postings: Option<Postings>) -> Self {
        let mut changes: BTreeMap<NodeId, Change> = BTreeMap::new();
        for (node, amount) in postings.iter().flat_map(Postings::node_changes) {
            let change = changes.entry(node).or_default();
            change.posted = change.posted.saturating_add(amount);
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

    /// Sum of the changes of `pending_in`, in minor units.
    #[must_use]
    pub fn pending_in(&self) -> i64 {
        self.changes.values().map(|change| change.pending_in).sum()
    }

    /// Entries that apply the changes, one per account.
    ///
    /// # Errors
    ///
    /// [`Shortfall`] if an account has less than the movement takes.
    pub fn entries(
        &self,
        states: &impl States,
        currency: Currency,
        context: PostingContext,
    ) -> Result<Vec<NewEvent>, Shortfall> {
        let entry = |(&node, &change): (&NodeId, &Change)| {
            let floor = policy::limits(states, context.platform, node, currency).floor.unwrap_or_default();
            let account = states.account(node, currency);
            let entry = account.enter(change, (context.terms)(floor), context.cause, context.at)?;
            Ok(NewEvent::new(AccountId::of(node, currency), entry))
        };
        self.changes.iter().map(entry).collect()
    }
}

/// Creation: holds `amount` on the sender.
#[must_use]
pub fn hold(sender: NodeId, amount: Money) -> Movement {
    Movement::default().with_hold(Some(sender), amount.minor)
}

/// Debit: releases the hold, moves the amount into transit, and announces `announced` to accounts whose daily limits
/// count it.
#[must_use]
pub fn debit(transaction: &Transaction, announced: &[Announcement]) -> Movement {
    let Money { minor, currency } = transaction.amount;
    let sender = transaction.from.held();
    let source = sender.map(LedgerAccount::Node).or(transaction.from.rail().map(LedgerAccount::RailIn));
    let postings = source.map(|source| Postings::between(currency, source, LedgerAccount::Transit, minor));
    let movement = Movement::of(postings).with_hold(sender, -transaction.hold);
    announced.iter().fold(movement, |movement, it| movement.with_pending(Some(it.node), it.minor))
}

/// Credit: sends the net amount out over the receiver's rail, or announces it to a held receiver unless the debit did.
#[must_use]
pub fn credit(transaction: &Transaction) -> Movement {
    let net = transaction.net_minor();
    let Some(rail) = transaction.to.rail() else {
        let receiver = transaction.to.held().filter(|node| transaction.announced_to(*node) == 0);
        return Movement::default().with_pending(receiver, net);
    };
    let currency = transaction.amount.currency;
    let out = LedgerAccount::RailOut(rail);
    Movement::of((net != 0).then(|| Postings::between(currency, LedgerAccount::Transit, out, net)))
}

/// Settlement: moves the money in transit to all recipients whose nodes are held here.
#[must_use]
pub fn settle(transaction: &Transaction) -> Movement {
    let recipients = transaction.recipients();
    let held = recipients.iter().filter(|it| it.is_held);
    let credits: Vec<_> = held.map(|it| (LedgerAccount::Node(it.node), it.minor)).collect();
    let postings = Postings::transfer(transaction.amount.currency, LedgerAccount::Transit, &credits);
    let postings = (!postings.lines().is_empty()).then_some(postings);
    without_announcements(transaction, Movement::of(postings))
}

/// A transfer from one account to another in one step.
#[must_use]
pub fn immediate(from: LedgerAccount, to: LedgerAccount, amount: Money) -> Movement {
    Movement::of(Some(Postings::between(amount.currency, from, to, amount.minor)))
}

/// Cancel: moves every cent back to the account that it came from, and removes holds and announcements.
#[must_use]
pub fn reverse(transaction: &Transaction) -> Movement {
    release(transaction, Postings::reversal(&transaction.net, |account| account))
}

/// Return: a reversal, except that money that has left over a rail comes back as a return. `leg` is the leg that came
/// back.
///
/// If both legs are outside: when the pull comes back after the push has left, the platform's reserve bears the loss;
/// when the push comes back, the sender is refunded.
#[must_use]
pub fn return_funds(transaction: &Transaction, leg: Option<Direction>, reserve: NodeId) -> Movement {
    let place = |account| match account {
        LedgerAccount::RailIn(_) if !transaction.has_left(Direction::Pull) => account,
        LedgerAccount::RailIn(rail) if leg == Some(Direction::Push) => LedgerAccount::RailOut(rail),
        LedgerAccount::RailIn(_) => LedgerAccount::ReturnOut,
        LedgerAccount::RailOut(_) if !transaction.has_left(Direction::Push) => account,
        LedgerAccount::RailOut(_) if leg == Some(Direction::Pull) => LedgerAccount::Node(reserve),
        LedgerAccount::RailOut(_) => LedgerAccount::ReturnIn,
        LedgerAccount::Node(_)
        | LedgerAccount::Transit
        | LedgerAccount::ReturnIn
        | LedgerAccount::ReturnOut
        | LedgerAccount::Bank(_)
        | LedgerAccount::Suspense => account,
    };
    release(transaction, Postings::reversal(&transaction.net, place))
}

fn release(transaction: &Transaction, postings: Option<Postings>) -> Movement {
    let movement = Movement::of(postings).with_hold(transaction.from.held(), -transaction.hold);
    without_announcements(transaction, movement)
}

/// Removes the pending amounts that the transaction announced.
fn without_announcements(transaction: &Transaction, movement: Movement) -> Movement {
    let movement = movement.with_pending(transaction.to.held(), -transaction.pending_in);
    let announced = transaction.announced.iter();
    announced.fold(movement, |movement, it| movement.with_pending(Some(it.node), -it.minor))
}

#[cfg(test)]
mod tests;
