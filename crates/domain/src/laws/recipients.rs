//! Law of recipients: no entry credits an account whose node or owner is locked, not verified, closed, deleted or
//! erased, nor credits more on a day than the account's limit. The exceptions are
//!
//! - a return or a cancel: money goes back to the account that it came from;
//! - money from outside and journal entries: the bank, the sandbox or an operator determines the account;
//! - the receiver of a payment: it is checked when the debit starts, and money that is under way then still reaches it
//!   (`docs/reference/money.md`, States);
//! - the platform's reserve: it takes a fee that no other node can take.

use std::collections::HashMap;

use crate::calendar::Day;
use crate::id::{NodeId, TransactionId};
use crate::money::Currency;
use crate::node::Node;
use crate::platform::policy;
use crate::posting::{LedgerAccount, Postings};
use crate::testing::World;
use crate::testing::fixture::{OWNER, PLATFORM, RESERVE};
use crate::transaction::{self, Transaction};
use crate::user::{Permission, User};
use crate::{Event, NewEvent, States, Timestamp, node, platform};

/// State that is needed to check credits.
#[derive(Default)]
pub(super) struct Inflows {
    decisions: usize,
    /// Number of the decision that last set the limits of a node, or of the platform (`None`).
    limits_set: HashMap<Option<NodeId>, usize>,
    /// Number of the decision that started the debit of a payment.
    debited: HashMap<TransactionId, usize>,
    /// Credits of payments on a day, each with the number of the decision that started its debit.
    came: HashMap<(NodeId, Currency, Day), Vec<(usize, i64)>>,
}

impl Inflows {
    /// Checks the credits of one decision.
    pub(super) fn decided(&mut self, before: &World, at: Timestamp, facts: &[NewEvent]) {
        self.decisions += 1;
        for fact in facts {
            match &fact.event {
                Event::Node(node::Event::LimitsSet(_)) => {
                    self.limits_set.insert(Some(NodeId::from_u128(fact.key.id)), self.decisions);
                }
                Event::Platform(platform::Event::PolicySet(_)) => {
                    self.limits_set.insert(None, self.decisions);
                }
                Event::Transaction(event) => self.step(before, at, fact, event, facts),
                _ => {}
            }
        }
    }

    fn step(
        &mut self,
        before: &World,
        at: Timestamp,
        fact: &NewEvent,
        event: &transaction::Event,
        all: &[NewEvent],
    ) {
        use transaction::Event as Step;
        let id = TransactionId::from_u128(fact.key.id);
        let known = before.transaction(id);
        match event {
            Step::DebitStarted(_) => {
                may_start(before, known.expect("was created"));
                self.debited.insert(id, self.decisions);
            }
            Step::Settled(step) => {
                // Money from outside is created and settled in one decision.
                let (Some(payment), Some(postings)) = (known, &step.postings) else { return };
                let is_redirect = |fact: &NewEvent| {
                    matches!(fact.event, Event::Transaction(Step::FeesRedirected(_))) && fact.key == id.into()
                };
                let to_reserve = all.iter().any(is_redirect);
                for (node, minor) in credits(postings) {
                    let is_receiver = payment.to.node() == Some(node);
                    let is_exempt = is_receiver || node == RESERVE && to_reserve;
                    assert!(is_exempt || may_be_credited(before, node), "{minor} to {node}: {all:?}");
                    self.comes(before, (node, postings.currency(), Day::of(at)), id, minor);
                }
            }
            Step::Canceled(_) | Step::Returned(_) => {}
            _ => {
                let postings = fact.event.postings().into_iter();
                assert!(postings.flat_map(credits).next().is_none(), "nobody gets money by this: {fact:?}");
            }
        }
    }

    /// Checks that payments debited under the current limits do not credit more on a day than these allow.
    fn comes(&mut self, before: &World, account: (NodeId, Currency, Day), id: TransactionId, minor: i64) {
        let (node, currency, _) = account;
        let debited = self.debited.get(&id).copied().expect("was debited");
        let came = self.came.entry(account).or_default();
        came.push((debited, minor));
        // The reserve has no limit here: it takes fees that no other node can take.
        let Some(limit) =
            policy::limits(before, PLATFORM, node, currency).daily_in.filter(|_| node != RESERVE)
        else {
            return;
        };
        let set = [None, Some(node)].into_iter().filter_map(|whose| self.limits_set.get(&whose)).max();
        let under_it = came.iter().filter(|(debited, _)| Some(debited) > set);
        let sum: i128 = under_it.map(|(_, minor)| i128::from(*minor)).sum();
        assert!(sum <= i128::from(limit), "{sum} of {limit} on a day: {node} {came:?}");
    }
}

/// Checks every party of a payment whose debit starts: the receiver, the nodes of fees, and the sender.
fn may_start(before: &World, payment: &Transaction) {
    let nodes = payment.to.node().into_iter().chain(payment.fees.iter().map(|fee| fee.to));
    let places: Vec<&Node> = nodes.map(|node| before.node(node).expect("exists")).collect();
    for place in &places {
        // A node that was deleted after the creation still receives.
        assert!(!place.is_locked && may_receive(before, place), "{payment:?}");
    }
    let sender = payment.from.user().and_then(|user| before.user(user)).map(User::permission);
    let is_free = sender == Some(Permission::SendAndReceive);
    let to_platform = places.iter().all(|place| place.user == OWNER);
    assert!(is_free || sender == Some(Permission::Receive) && to_platform, "{sender:?}: {payment:?}");
}

fn may_be_credited(before: &World, node: NodeId) -> bool {
    before.node(node).is_some_and(|node| node.is_active && !node.is_locked && may_receive(before, node))
}

fn may_receive(before: &World, node: &Node) -> bool {
    let owner = before.user(node.user).expect("exists");
    let permission = owner.permission();
    owner.erased.is_none() && matches!(permission, Permission::Receive | Permission::SendAndReceive)
}

/// Credits of `postings` to nodes.
fn credits(postings: &Postings) -> impl Iterator<Item = (NodeId, i64)> + '_ {
    postings.lines().iter().filter(|line| line.amount < 0).filter_map(|line| match line.account {
        LedgerAccount::Node(node) => Some((node, -line.amount)),
        _ => None,
    })
}
