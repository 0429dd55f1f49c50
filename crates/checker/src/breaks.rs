//! Breaks: lines of statements in suspense, their matches, and matches that are taken back.

use std::collections::BTreeMap;

use daybook_domain::aggregate::Aggregate;
use daybook_domain::breaks::{Break, Event, Matched, Strategy, Unmatched};
use daybook_domain::custody::Custody;
use daybook_domain::matching::{Rule, RuleSet};
use daybook_domain::posting::{LedgerAccount, Postings};
use daybook_domain::transaction::ClearedItem;
use daybook_domain::{CustodyId, StatementId, Timestamp};

use crate::books::Books;
use crate::decision::Decision;
use crate::ids::Ids;
use crate::lines::{Clearing, Through};

/// All lines that were booked to suspense.
#[derive(Debug, Default)]
pub(crate) struct Breaks(Ids<CheckedBreak>);

/// A break with the matches that hold.
#[derive(Debug)]
struct CheckedBreak {
    state: Break,
    matches: BTreeMap<u32, Matched>,
}

impl Breaks {
    /// Checks and folds an event of a break. Its effects on items and accounts are added to `decision`.
    pub(crate) fn event(
        &mut self,
        (id, position, is_whole): (u128, u64, bool),
        event: &Event,
        at: Timestamp,
        books: &Books,
        decision: &mut Decision,
    ) -> Vec<String> {
        let mut wrong = vec![];
        if let Event::Opened(opened) = event {
            let line = name(opened.statement, opened.custody, &opened.line);
            if is_whole && decision.suspended.remove(&line) != Some(opened.amount) {
                wrong.push("no statement of its commit has this line in suspense".to_owned());
            }
            let begun = Break::begin(event, at).map(|state| CheckedBreak { state, matches: BTreeMap::new() });
            self.0.extend(begun.map(|of| (id.into(), of)));
            return wrong;
        }
        let Some(of) = self.0.get_mut(&id.into()) else { return wrong };
        match event {
            Event::Opened(_) => {}
            Event::Matched(matched) => {
                of.check(matched, &mut wrong);
                let custody = books.custody(of.state.custody);
                if custody.is_some_and(|custody| !is_by_rule_of(matched, custody)) {
                    wrong.push("it was found by a rule that does not hold".to_owned());
                }
                of.clear(&matched.items, 1, position, decision);
                post(id, matched.postings.as_ref(), position, decision);
                of.matches.insert(matched.number, matched.clone());
            }
            Event::Unmatched(unmatched) => {
                if !of.matches.remove(&unmatched.number).is_some_and(|it| is_end_of(unmatched, &it)) {
                    wrong.push("it takes back a match that does not hold, or other items of it".to_owned());
                }
                of.clear(&unmatched.items, -1, position, decision);
                post(id, unmatched.postings.as_ref(), position, decision);
            }
            Event::Withdrawn(_) => {
                let line = name(of.state.statement, of.state.custody, &of.state.line);
                if !of.matches.is_empty() || decision.withdrawn.remove(&line) != Some(of.state.amount) {
                    wrong.push("its line is matched, or is not taken back in its commit".to_owned());
                }
            }
        }
        of.state.evolve(event, at);
        wrong
    }
}

impl CheckedBreak {
    fn check(&self, matched: &Matched, wrong: &mut Vec<String>) {
        let (amount, left) = (matched.amount(), self.state.left);
        let fits = match matched.rule {
            // A rule explains the whole rest of a line, and each part of the match states what the others explain.
            Some(_) => amount.checked_add(matched.rest) == Some(left),
            None => {
                amount != 0
                    && amount.signum() == left.signum()
                    && amount.unsigned_abs() <= left.unsigned_abs()
            }
        };
        if matched.number != self.state.next || !fits {
            wrong.push("it explains more than is left of the line".to_owned());
        }
        let may_post =
            |account| account == LedgerAccount::Suspense || matches!(account, LedgerAccount::Node(_));
        let lines = matched.postings.iter().flat_map(Postings::lines);
        if !lines.into_iter().all(|line| may_post(line.account)) {
            wrong.push("it posts to an account that is neither a node\u{2019}s nor suspense".to_owned());
        }
    }

    /// Records the items that a match clears; with a `sign` of -1, those that it opens again.
    fn clear(&self, items: &[ClearedItem], sign: i64, position: u64, decision: &mut Decision) {
        let custody = self.state.custody.as_u128();
        let lines = if sign > 0 { &mut decision.booked } else { &mut decision.taken_back };
        for item in items {
            let amount = item.amount.saturating_mul(sign);
            let by = Clearing { custody, account: item.account, amount, through: Through::Suspense };
            lines.state((item.transaction.as_u128(), self.state.line.clone()), by, position);
        }
    }
}

/// Records the changes of accounts of nodes.
fn post(id: u128, postings: Option<&Postings>, position: u64, decision: &mut Decision) {
    let Some(postings) = postings else { return };
    for (node, amount) in postings.node_changes() {
        decision.causes(id, node, postings.currency(), [amount, 0, 0], position);
    }
}

/// True if the rule that found a match is one of those that hold, and has its strategy; and for a match of an operator.
fn is_by_rule_of(matched: &Matched, custody: &Custody) -> bool {
    let Some(by) = &matched.rule else { return matched.strategy == Strategy::Operator };
    let is_it = |rule: &Rule| rule.name == by.name && rule.strategy.as_str() == matched.strategy.as_str();
    let has_it = |set: &RuleSet| set.rules().iter().any(is_it);
    let own = custody.rules.as_ref().map(|rules| &rules.set);
    by.version == custody.rules_version() && own.map_or_else(|| has_it(&RuleSet::built_in()), has_it)
}

fn is_end_of(unmatched: &Unmatched, matched: &Matched) -> bool {
    let reversed = matched.postings.as_ref().map(Postings::reversed);
    unmatched.items == matched.items && unmatched.postings == reversed
}

/// Name of a line in suspense: its statement, or the account of a day without a file, and its id.
fn name(statement: Option<StatementId>, custody: CustodyId, line: &str) -> (u128, String) {
    (statement.map_or(custody.as_u128(), StatementId::as_u128), line.to_owned())
}
