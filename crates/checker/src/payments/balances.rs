//! Location of a transaction's money, as sums that need little memory.

use std::hash::{DefaultHasher, Hash, Hasher};

use daybook_domain::NodeId;
use daybook_domain::posting::{LedgerAccount, Postings};
use daybook_domain::transaction::Created;

use super::Step;
use crate::decision::Decision;

/// Location of a transaction's money: a sum for transit, and weighted sums for all other accounts. Two different sets
/// of postings have equal weighted sums with a probability of 2⁻⁶⁴.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Balances {
    pub(super) transit: i128,
    /// Weighted sum over nodes other than the reserve.
    nodes: u64,
    /// Weighted sum over all accounts.
    pub(super) all: u64,
}

impl Balances {
    pub(super) fn add(&mut self, postings: &Postings, reserve: Option<NodeId>) {
        for line in postings.lines() {
            let weighted = weighted(line.account, line.amount);
            self.all = self.all.wrapping_add(weighted);
            match line.account {
                LedgerAccount::Transit => self.transit += i128::from(line.amount),
                LedgerAccount::Node(node) if Some(node) != reserve => {
                    self.nodes = self.nodes.wrapping_add(weighted);
                }
                LedgerAccount::Node(_)
                | LedgerAccount::RailIn(_)
                | LedgerAccount::RailOut(_)
                | LedgerAccount::ReturnIn
                | LedgerAccount::ReturnOut
                | LedgerAccount::Bank(_)
                | LedgerAccount::Suspense => {}
            }
        }
    }

    /// Checks a return: no money stays at any node but the reserve, and none in transit.
    pub(super) fn move_back(
        &mut self,
        postings: Option<&Postings>,
        step: &Step<'_>,
        decision: &mut Decision,
        wrong: &mut Vec<String>,
    ) {
        post(postings, step, decision);
        if let Some(postings) = postings {
            self.add(postings, step.reserve);
        }
        // Without the platform the reserve is unknown, which may bear a loss.
        if step.reserve.is_some() && (self.nodes != 0 || self.transit != 0) {
            wrong.push("it was returned, but not all of its money went back to its origin".to_owned());
        }
    }
}

/// Returns the weight of an amount in a weighted sum. The arithmetic wraps in two's complement, so a posting and its
/// reversal cancel out.
pub(super) fn weighted(account: LedgerAccount, amount: i64) -> u64 {
    let mut hasher = DefaultHasher::new();
    account.hash(&mut hasher);
    hasher.finish().wrapping_mul(amount.cast_unsigned())
}

/// Returns the weighted sum of all postings once the transaction is settled: the amount is taken from the sender and
/// given to the receiver and to the recipients of fees.
pub(super) fn settles(created: &Created, rest: i64) -> Option<u64> {
    let Created { from, to, amount, fees, .. } = created;
    let from = from.held().map(LedgerAccount::Node).or(from.rail().map(LedgerAccount::RailIn))?;
    let to = to.held().map(LedgerAccount::Node).or(to.rail().map(LedgerAccount::RailOut))?;
    let given = fees.iter().map(|fee| (LedgerAccount::Node(fee.to), fee.minor)).chain([(to, rest)]);
    let given = given.fold(0_u64, |sum, (account, minor)| sum.wrapping_add(weighted(account, minor)));
    Some(weighted(from, amount.minor).wrapping_sub(given))
}

/// Adds the effects of `postings` on the accounts of nodes to `decision`.
pub(super) fn post(postings: Option<&Postings>, step: &Step<'_>, decision: &mut Decision) {
    let Some(postings) = postings else { return };
    for (node, amount) in postings.node_changes() {
        decision.causes(step.id, node, postings.currency(), [amount, 0, 0], step.position);
    }
}
