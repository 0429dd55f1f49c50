//! The laws, checked after every command.

use std::collections::BTreeMap;

use super::chronicle::{Balance, Chronicle};
use crate::account::{self, Account};
use crate::platform::policy;
use crate::posting::LedgerAccount;
use crate::statement::Statement;
use crate::testing::World;
use crate::testing::fixture::{CUSTODY, PLATFORM};
use crate::transaction::{self, Status};
use crate::{Currency, Event, NewEvent, NodeId, State, States};

/// Checks one decision: balanced postings, the floor, the mark of a return, and the change of status.
pub(super) fn step(before: &World, after: &World, facts: &[NewEvent]) {
    let is_return =
        facts.iter().any(|fact| matches!(fact.event, Event::Transaction(transaction::Event::Returned(_))));
    for fact in facts {
        if let Some(postings) = fact.event.postings() {
            let sum: i128 = postings.lines().iter().map(|line| i128::from(line.amount)).sum();
            assert_eq!(sum, 0, "debits are credits: {postings:?}");
        }
        if let Event::Account(account::Event::Entry(entry)) = &fact.event {
            assert_eq!(entry.returned, is_return, "who is below the floor says why: {facts:?}");
            let takes = i128::from(entry.hold_delta) > i128::from(entry.delta);
            let floor = policy::limits(before, PLATFORM, entry.node, entry.currency).floor.unwrap_or(0);
            let is_kept = entry.posted - entry.held >= floor;
            assert!(is_kept || !takes || entry.returned, "floor {floor}: {entry:?}");
        }
        if let Some(State::Transaction(it)) = after.state(fact.key) {
            let was = match before.state(fact.key) {
                Some(State::Transaction(it)) => Some(it.status),
                _ => None,
            };
            assert!(may_follow(was, it.status), "{was:?} to {:?}", it.status);
        }
    }
}

/// Checks a change of status against the table of `docs/reference/money.md`, States.
fn may_follow(was: Option<Status>, is: Status) -> bool {
    use Status::{Canceled, Created, ProcessingCredit, ProcessingDebit, Queued, Returned, Settled};
    let next: &[Status] = match was {
        None => &[Created, Queued, Canceled, Settled],
        Some(Created) => &[Queued, Canceled, ProcessingDebit],
        Some(Queued) => &[Created, Canceled],
        Some(ProcessingDebit) => &[ProcessingCredit, Canceled, Returned],
        Some(ProcessingCredit) => &[Settled, Returned],
        Some(Settled) => &[Returned],
        Some(Canceled | Returned) => &[],
    };
    was == Some(is) || next.contains(&is)
}

impl Chronicle {
    pub(super) fn check(&self) {
        self.debits_equal_credits();
        self.accounts_are_the_fold_of_the_postings();
        self.holds_are_resolved_once();
        self.what_is_over_leaves_nothing_behind();
        self.what_is_open_is_what_lies_between();
        self.suspense_is_the_sum_of_breaks();
        self.the_bank_has_what_it_states();
    }

    /// Custody identity: bank + rail.in + ret.in = nodes + transit + rail.out + ret.out ± suspense, liabilities counted
    /// positive.
    fn debits_equal_credits(&self) {
        let mut sums: BTreeMap<Currency, i128> = BTreeMap::new();
        for ((currency, account), amount) in &self.trial {
            // Nodes are counted by their accounts, not by the postings.
            let is_node = account.node().is_some();
            *sums.entry(*currency).or_default() += if is_node { 0 } else { *amount };
        }
        for account in self.accounts() {
            *sums.entry(account.currency).or_default() -= i128::from(account.posted);
        }
        assert!(sums.values().all(|sum| *sum == 0), "{sums:?}");
    }

    fn accounts_are_the_fold_of_the_postings(&self) {
        let mut promised: BTreeMap<(NodeId, Currency), (i64, i64)> = BTreeMap::new();
        for (_, it) in self.transactions() {
            let currency = it.amount.currency;
            if let Some(sender) = it.from.held() {
                promised.entry((sender, currency)).or_default().0 += it.hold;
            }
            if let Some(receiver) = it.to.held() {
                promised.entry((receiver, currency)).or_default().1 += it.pending_in;
            }
            for announced in &it.announced {
                promised.entry((announced.node, currency)).or_default().1 += announced.minor;
            }
        }
        for &Account { node, currency, posted, held, pending_in, .. } in self.accounts() {
            assert_eq!(i128::from(posted), -self.on(currency, LedgerAccount::Node(node)), "{node}");
            let expected = promised.get(&(node, currency)).copied().unwrap_or_default();
            assert_eq!((held, pending_in), expected, "{node}");
        }
    }

    fn holds_are_resolved_once(&self) {
        for (id, deltas) in &self.holds {
            let it = self.world.transaction(*id).expect("the cause of an entry exists");
            let amount = it.amount.minor;
            if Self::waits(it.status) {
                assert_eq!(deltas, &[amount], "{id}");
            } else {
                assert_eq!(deltas, &[amount, -amount], "{id}");
            }
        }
    }

    fn what_is_over_leaves_nothing_behind(&self) {
        for (id, it) in self.transactions() {
            // Money that was sent out already is not in transit.
            let left = if it.to.rail().is_some() { it.net_minor() } else { 0 };
            let in_transit = match it.status {
                Status::ProcessingDebit => it.amount.minor,
                Status::ProcessingCredit => it.amount.minor - left,
                Status::Created | Status::Queued | Status::Settled | Status::Canceled | Status::Returned => 0,
            };
            assert_eq!(it.net.on(LedgerAccount::Transit), -in_transit, "{id}");
            assert!(it.hold == 0 || Self::waits(it.status), "{id} holds");
            assert!(it.pending_in == 0 || it.status == Status::ProcessingCredit, "{id} announces");
            let is_under_way = matches!(it.status, Status::ProcessingDebit | Status::ProcessingCredit);
            assert!(it.announced.is_empty() || is_under_way, "{id} announces");
            assert!(it.waits_for.is_empty() || it.status == Status::Queued, "{id} waits for somebody");
            assert_eq!(it.queue.is_empty(), it.status != Status::Queued, "{id} waits for something");
            let mut legs = it.submitted.clone();
            legs.sort();
            legs.dedup();
            assert_eq!(legs.len(), it.submitted.len(), "{id} went into two files");
            if it.status == Status::Canceled {
                assert!(it.net.is_empty() && it.submitted.is_empty(), "{id} is as if it had never been");
            }
        }
    }

    fn what_is_open_is_what_lies_between(&self) {
        let mut open = Balance::new();
        for (_, it) in self.transactions() {
            for item in it.open_items() {
                *open.entry((it.amount.currency, item.account)).or_default() += i128::from(item.amount);
            }
        }
        for (key, amount) in self.trial.iter().filter(|((_, account), _)| account.is_open_item()) {
            assert_eq!(open.get(key).copied().unwrap_or_default(), *amount, "{key:?}");
        }
    }

    /// Balance of suspense, without what journal entries posted there: the sum of named lines.
    fn suspense_is_the_sum_of_breaks(&self) {
        let mut left: BTreeMap<Currency, i128> = BTreeMap::new();
        for (id, of) in self.breaks() {
            let matched: i64 = of.matches.iter().map(|it| it.amount).sum();
            assert!(of.is_withdrawn || of.left + matched == of.amount, "{id}: {of:?}");
            assert!(of.left == 0 || of.left.signum() == of.amount.signum(), "{id}: {of:?}");
            *left.entry(of.currency).or_default() += i128::from(of.left);
        }
        for currency in self.trial.keys().map(|(currency, _)| *currency) {
            let key = (currency, LedgerAccount::Suspense);
            let by_journal = self.journaled.get(&key).copied().unwrap_or_default();
            let by_lines = self.on(currency, LedgerAccount::Suspense) - by_journal;
            assert_eq!(left.get(&currency).copied().unwrap_or_default(), -by_lines, "{currency}");
        }
    }

    /// The bank's account has the balance after the last booked line, which is the closing balance of the newest statement
    /// unless lines are not booked yet.
    fn the_bank_has_what_it_states(&self) {
        let custody = self.world.custody(CUSTODY).expect("opened");
        let booking = |currency| {
            let mut accepted = custody.booking.iter().filter_map(|id| self.world.statement(*id));
            let next = accepted.find(|statement| statement.currency == currency);
            next.map(Statement::balance_at_bank)
        };
        for currency in self.trial.keys().map(|(currency, _)| *currency) {
            let stated = booking(currency).unwrap_or(custody.balance(currency));
            assert_eq!(self.on(currency, LedgerAccount::Bank(custody.bank)), i128::from(stated));
        }
    }
}
