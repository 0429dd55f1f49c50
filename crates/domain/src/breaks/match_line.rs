//! Match a line in suspense with open items and accounts of nodes, wholly or in part.

use std::collections::BTreeSet;

use super::event::{Matched, RuleName, Strategy};
use super::{Break, Refusal};
use crate::account::Cause;
use crate::actor::Origin;
use crate::aggregate::{Key, NewEvent};
use crate::custody::{Custody, clear};
use crate::decide::Decide;
use crate::id::{AccountId, BreakId, PlatformId};
use crate::money::{Currency, MAX_MINOR};
use crate::movement::{Movement, PostingContext};
use crate::node;
use crate::posting::{LedgerAccount, Posting, Postings};
use crate::state::States;
use crate::time::Timestamp;
use crate::transaction::ClearedItem;

/// Maximum number of items and postings of one match.
pub const MAX_PARTS: usize = 1_000;

/// Command to match a line in suspense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchLine {
    /// The break.
    pub id: BreakId,
    /// Platform of the line.
    pub platform: PlatformId,
    /// Currency of the amounts.
    pub currency: Currency,
    /// Open items that explain the line.
    pub items: Vec<ClearedItem>,
    /// Nodes and the amounts that they get, in minor units; negative for an amount that they pay.
    pub posts: Vec<Posting>,
    /// The rule that found the match; `None` if an operator chose it.
    pub by: Option<ByRule>,
    /// Origin of the match.
    pub origin: Origin,
}

/// A rule that found a match of the whole rest of a line. A match of many parts is made by several commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByRule {
    /// The way by which the rule found it.
    pub strategy: Strategy,
    /// The rule.
    pub rule: RuleName,
    /// Amount that later commands of the match explain, in minor units. The items of a file that is stated net have both
    /// signs, so it may exceed the amount of the line.
    pub rest: i64,
}

impl Decide for MatchLine {
    fn subject(&self) -> Key {
        self.id.into()
    }

    fn needs(&self, states: &impl States) -> Vec<Key> {
        let transactions = self.items.iter().map(|item| item.transaction.into());
        let nodes = self.posts.iter().filter_map(|post| post.account.node());
        let nodes = nodes.flat_map(|node| [node.into(), AccountId::of(node, self.currency).into()]);
        let own: [Key; 2] = [self.id.into(), self.platform.into()];
        let line = states.line_break(self.id).filter(|_| self.by.is_some());
        let custody = line.map(|line| line.custody.into());
        own.into_iter().chain(custody).chain(transactions).chain(nodes).collect()
    }

    fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let line = find(states, self.platform, self.id)?;
        if line.is_withdrawn {
            return Err(Refusal::Withdrawn.into());
        }
        if line.currency != self.currency {
            return Err(Refusal::Currency.into());
        }
        self.check_rule(states, line)?;
        self.check(states, line)?;
        let postings = self.postings(line)?;
        let number = line.next;
        let (items, origin) = (self.items.clone(), self.origin);
        let strategy = self.by.as_ref().map_or(Strategy::Operator, |by| by.strategy);
        let rule = self.by.as_ref().map(|by| by.rule.clone());
        let rest = self.by.as_ref().map_or(0, |by| by.rest);
        let matched = Matched { number, items, postings: postings.clone(), strategy, rule, rest, origin };
        let entries = entries(states, (self.platform, self.id), line, postings, at)?;
        let cleared = self.items.iter().map(|item| clear::out_of_suspense(line, item, 1));
        let cleared = cleared.collect::<Option<Vec<_>>>().ok_or(Refusal::OutOfRange)?;
        Ok([NewEvent::new(self.id, matched)].into_iter().chain(cleared).chain(entries).collect())
    }

    fn weight(&self) -> usize {
        size_of_val(self.items.as_slice()) + size_of_val(self.posts.as_slice())
    }
}

impl MatchLine {
    fn check(&self, states: &impl States, line: &Break) -> Result<(), crate::Refusal> {
        let items: BTreeSet<_> = self.items.iter().map(|item| item.transaction).collect();
        let nodes: BTreeSet<_> = self.posts.iter().map(|post| post.account).collect();
        let parts = self.items.len() + self.posts.len();
        if !(1..=MAX_PARTS).contains(&parts) || items.len() + nodes.len() != parts {
            return Err(Refusal::Count.into());
        }
        let in_range = |amount: i64| amount != 0 && amount.unsigned_abs() <= MAX_MINOR.unsigned_abs();
        let amounts = self.items.iter().map(|item| item.amount).chain(self.posts.iter().map(|it| it.amount));
        if !amounts.clone().all(in_range) {
            return Err(Refusal::OutOfRange.into());
        }
        self.check_sum(line, amounts.sum())?;
        if !self.items.iter().all(|item| item.is_open(states, line.platform, line.currency)) {
            return Err(Refusal::NotOpen.into());
        }
        let is_held = |account: LedgerAccount| {
            let found = account.node().map(|id| node::create::find(states, self.platform, id));
            found.is_some_and(|found| found.is_ok_and(|node| node.kind.is_held()))
        };
        let are_held = self.posts.iter().all(|post| is_held(post.account));
        if are_held { Ok(()) } else { Err(Refusal::Account.into()) }
    }

    /// Checks that the rules which found the match still hold, and that no operator decides about the line.
    fn check_rule(&self, states: &impl States, line: &Break) -> Result<(), Refusal> {
        let Some(by) = &self.by else { return Ok(()) };
        let version = states.custody(line.custody).map_or(0, Custody::rules_version);
        if line.by_hand || by.rule.version != version { Err(Refusal::Changed) } else { Ok(()) }
    }

    /// Checks that a rule explains the whole rest of the line, and an operator no more than that.
    fn check_sum(&self, line: &Break, sum: i64) -> Result<(), Refusal> {
        match &self.by {
            Some(by) if sum.checked_add(by.rest) == Some(line.left) => Ok(()),
            Some(_) => Err(Refusal::Changed),
            None if sum.signum() == line.left.signum() && sum.unsigned_abs() <= line.left.unsigned_abs() => {
                Ok(())
            }
            None => Err(Refusal::TooMuch),
        }
    }

    /// Suspense against the nodes.
    fn postings(&self, line: &Break) -> Result<Option<Postings>, Refusal> {
        if self.posts.is_empty() {
            return Ok(None);
        }
        let out: i64 = self.posts.iter().map(|post| post.amount).sum();
        let suspense = (out != 0).then_some(Posting { account: LedgerAccount::Suspense, amount: out });
        let nodes = self.posts.iter().map(|post| Posting { amount: -post.amount, ..*post });
        let lines = suspense.into_iter().chain(nodes).collect();
        Postings::new(line.currency, lines).map(Some).map_err(|_| Refusal::OutOfRange)
    }
}

/// The break of a platform.
pub(super) fn find(states: &impl States, platform: PlatformId, id: BreakId) -> Result<&Break, Refusal> {
    states.line_break(id).filter(|line| line.platform == platform).ok_or(Refusal::Unknown)
}

/// Entries of the accounts of nodes.
pub(super) fn entries(
    states: &impl States,
    (platform, id): (PlatformId, BreakId),
    line: &Break,
    postings: Option<Postings>,
    at: Timestamp,
) -> Result<Vec<NewEvent>, Refusal> {
    let context = PostingContext::correction(platform, Cause::Break(id), at);
    Movement::of(postings).entries(states, line.currency, context).map_err(|_| Refusal::OutOfRange)
}

#[cfg(test)]
mod tests;
