//! Pool: the lines and items that no rule has matched yet.

use std::collections::HashMap;

use super::sums::Window;
use super::{Input, Item, Line, Match, Means, Outcome, Rule, RuleSet, SentFile, Suggestion};
use super::{book, exact, posting, suggest};
use crate::breaks::Strategy;
use crate::id::NodeId;
use crate::posting::Posting;
use crate::transaction::ClearedItem;

/// Items and nodes that explain a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// The items, or parts of them.
    pub items: Vec<ClearedItem>,
    /// Nodes and the amounts that they get, in minor units.
    pub posts: Vec<Posting>,
}

impl Parts {
    /// Sum of the parts, in minor units.
    #[must_use]
    pub fn amount(&self) -> i128 {
        let items = self.items.iter().map(|item| i128::from(item.amount));
        items.chain(self.posts.iter().map(|post| i128::from(post.amount))).sum()
    }
}

/// A line's claim to items and nodes: it is decided when the claims of all lines are known.
#[derive(Debug)]
pub(super) struct Claim {
    /// Number of the line in the pool.
    pub(super) line: usize,
    /// Numbers of items in the pool, with the amount of each that the line explains.
    pub(super) items: Vec<(usize, i64)>,
    /// A node and the amount that it gets.
    pub(super) post: Option<(NodeId, i64)>,
}

/// Lines, items and files in the order of their ids, and what is left of them.
pub(super) struct Pool<'a> {
    pub(super) lines: Vec<&'a Line>,
    pub(super) items: Vec<&'a Item>,
    pub(super) files: Vec<&'a SentFile>,
    /// Rest of each item, in minor units.
    pub(super) open: Vec<i64>,
    matches: Vec<Option<Match>>,
}

impl<'a> Pool<'a> {
    pub(super) fn new(input: &'a Input) -> Self {
        let mut lines: Vec<_> = input.lines.iter().collect();
        let mut items: Vec<_> = input.items.iter().collect();
        let mut files: Vec<_> = input.files.iter().collect();
        lines.sort_unstable_by_key(|line| line.id);
        items.sort_unstable_by_key(|item| (item.transaction, item.account));
        files.sort_unstable_by_key(|file| file.id);
        // A caller that reads while lines are booked may read one twice.
        lines.dedup_by_key(|line| line.id);
        items.dedup_by_key(|item| (item.transaction, item.account));
        let open = items.iter().map(|item| item.amount).collect();
        let matches = vec![None; lines.len()];
        Self { lines, items, files, open, matches }
    }

    /// Matches lines by one rule.
    pub(super) fn apply(&mut self, set: &RuleSet, (number, rule): (usize, &Rule)) {
        let (strategy, claims) = match rule.strategy {
            Means::Reference => (Strategy::Reference, exact::claims(self, (number, rule), None)),
            Means::File => (Strategy::File, exact::claims(self, (number, rule), None)),
            Means::Returns => (Strategy::Returns, exact::claims(self, (number, rule), None)),
            Means::Amount => (Strategy::Amount, exact::claims(self, (number, rule), None)),
            Means::Book => (Strategy::Book, book::claims(self, (number, rule))),
            Means::Tolerance => (Strategy::Tolerance, self.tolerated(set, rule)),
            Means::Group | Means::Suggest => return,
        };
        self.take(strategy, number, claims);
    }

    /// Suggestions of one rule for the lines that no rule matched.
    pub(super) fn suggest(&self, (number, rule): (usize, &Rule)) -> Vec<Suggestion> {
        match rule.strategy {
            Means::File | Means::Returns | Means::Amount => exact::suggestions(self, (number, rule)),
            Means::Group => suggest::groups(self, (number, rule)),
            Means::Suggest => suggest::similar(self, (number, rule)),
            Means::Reference | Means::Book | Means::Tolerance => vec![],
        }
    }

    pub(super) fn outcome(self, mut suggestions: Vec<Suggestion>) -> Outcome {
        // The sort is stable: equal scores stay in the order of the rules.
        suggestions.sort_by_key(|it| (it.line, std::cmp::Reverse(it.score)));
        Outcome { matches: self.matches.into_iter().flatten().collect(), suggestions }
    }

    /// Numbers of the free lines that a rule is about.
    pub(super) fn lines_of(&self, (number, rule): (usize, &Rule)) -> Vec<usize> {
        let is_of = |line: &Line| {
            let has_text = rule.text.is_none() || line.captures.iter().any(|(of, _)| *of == number);
            has_text && rule.covers(&line.codes, line.currency)
        };
        let free = self.matches.iter().zip(&self.lines).enumerate();
        free.filter(|(_, (done, line))| done.is_none() && is_of(line)).map(|(at, _)| at).collect()
    }

    /// Numbers of the items that are open.
    pub(super) fn open_items(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.items.len()).filter(|item| self.open[*item] != 0)
    }

    /// The window of a rule for the days of the free lines.
    pub(super) fn window(&self, rule: &Rule, lines: &[usize]) -> Window {
        Window::new(rule, lines.iter().map(|line| self.lines[*line].day))
    }

    fn tolerated(&self, set: &RuleSet, rule: &Rule) -> Vec<Claim> {
        let (of, node) = (rule.of.as_deref(), rule.node);
        let inner = of.and_then(|name| set.number_of(name)).map(|at| (at, &set.rules()[at]));
        let (Some((at, inner)), Some(node)) = (inner, node) else { return vec![] };
        let inner = Rule { currency: rule.currency, ..inner.clone() };
        exact::claims(self, (at, &inner), Some((rule.difference.unwrap_or(0), node)))
    }

    /// Makes matches of claims. Claims that together want more of an item than is left of it are dropped.
    fn take(&mut self, strategy: Strategy, rule: usize, claims: Vec<Claim>) {
        let mut wanted: HashMap<usize, i128> = HashMap::new();
        for (item, amount) in claims.iter().flat_map(|claim| &claim.items) {
            *wanted.entry(*item).or_default() += i128::from(*amount);
        }
        let is_left = |(item, _): &(usize, i64)| {
            let (open, wanted) =
                (i128::from(self.open[*item]), wanted.get(item).copied().unwrap_or_default());
            wanted.signum() == open.signum() && wanted.abs() <= open.abs()
        };
        let is_granted = |claim: &Claim| !self.lines[claim.line].by_hand && claim.items.iter().all(is_left);
        let granted: Vec<Claim> = claims.into_iter().filter(is_granted).collect();
        for claim in granted {
            for (item, amount) in &claim.items {
                self.open[*item] -= amount;
            }
            let items = claim.items.iter().map(|(item, amount)| self.part(*item, *amount)).collect();
            let parts = Parts { items, posts: claim.post.map(posting).into_iter().collect() };
            let &Line { id: line, currency, .. } = self.lines[claim.line];
            self.matches[claim.line] = Some(Match { line, currency, strategy, rule, parts });
        }
    }

    /// A part of an item.
    pub(super) fn part(&self, item: usize, amount: i64) -> ClearedItem {
        let &Item { transaction, account, .. } = self.items[item];
        ClearedItem { transaction, account, amount }
    }
}
