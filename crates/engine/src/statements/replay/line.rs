//! A line of a replay, with its explanations in the log and by other rules.

use daybook_domain::breaks::Break;
use daybook_domain::matching::Parts;

/// A line that was in suspense.
#[derive(Debug)]
pub(super) struct Line {
    /// The break, with what is left of it under the other rules.
    pub(super) of: Break,
    /// Matches of the log that hold.
    pub(super) was: Vec<Made>,
    /// The match of the other rules, with the rule's name.
    pub(super) would: Option<(String, Parts)>,
    /// True if the log contradicted a match of the other rules.
    pub(super) is_contradicted: bool,
}

/// A match of the log.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) number: u32,
    /// Name of the rule; `None` if an operator made it.
    pub(super) rule: Option<String>,
    pub(super) parts: Parts,
    /// True if it is left out.
    pub(super) is_omitted: bool,
}

/// Explanation of a line, in the log or by the other rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explained {
    /// It is in suspense, wholly or in part.
    No,
    /// A rule of this name.
    ByRule(String),
    /// Operators, with or without rules.
    ByOperator,
}

impl Line {
    /// A line that nothing explains yet.
    pub(super) const fn new(of: Break) -> Self {
        Self { of, was: vec![], would: None, is_contradicted: false }
    }

    /// Explanation in the log.
    pub(super) fn was(&self) -> Explained {
        match &self.was[..] {
            _ if self.was_left() != 0 => Explained::No,
            [Made { rule: Some(rule), .. }, rest @ ..]
                if rest.iter().all(|made| made.rule.as_ref() == Some(rule)) =>
            {
                Explained::ByRule(rule.clone())
            }
            _ => Explained::ByOperator,
        }
    }

    /// Part of the line that nothing explains in the log, in minor units.
    pub(super) fn was_left(&self) -> i64 {
        self.was.iter().map(|made| amount(&made.parts)).fold(self.of.amount, i64::saturating_sub)
    }

    /// Explanation under the other rules.
    pub(super) fn would(&self) -> Explained {
        match &self.would {
            Some((rule, _)) => Explained::ByRule(rule.clone()),
            None if self.of.left == 0 => self.was(),
            None => Explained::No,
        }
    }

    /// True if the other rules explain the line as the log does, or both do not.
    pub(super) fn is_unchanged(&self) -> bool {
        let omitted = || self.was.iter().filter(|made| made.is_omitted).map(|made| &made.parts);
        let items = omitted().flat_map(|parts| parts.items.iter().copied()).collect();
        let posts = omitted().flat_map(|parts| parts.posts.iter().copied()).collect();
        let would = self.would.as_ref().map(|(_, parts)| parts.clone()).unwrap_or_default();
        is_equal(&would, &Parts { items, posts })
    }
}

/// Sum of parts, in minor units, as events of breaks count it.
pub(super) fn amount(parts: &Parts) -> i64 {
    let items = parts.items.iter().map(|item| item.amount);
    items.chain(parts.posts.iter().map(|post| post.amount)).fold(0, i64::saturating_add)
}

/// True if two explanations have the same parts, in any order.
pub(super) fn is_equal(one: &Parts, other: &Parts) -> bool {
    let sorted = |parts: &Parts| {
        let mut items: Vec<_> =
            parts.items.iter().map(|it| (it.transaction, it.account, it.amount)).collect();
        let mut posts: Vec<_> = parts.posts.iter().map(|it| (it.account, it.amount)).collect();
        items.sort_unstable();
        posts.sort_unstable();
        (items, posts)
    };
    sorted(one) == sorted(other)
}
