//! Commands that make a match.

use super::{Match, Parts};
use crate::actor::{Actor, Origin};
use crate::breaks::RuleName;
use crate::breaks::match_line::{ByRule, MAX_PARTS, MatchLine};
use crate::custody::Rules;
use crate::id::PlatformId;

impl Match {
    /// The commands that make the match for a platform, of at most [`MAX_PARTS`] parts each. Each states the amount that
    /// those after it explain.
    #[must_use]
    pub fn commands(&self, platform: PlatformId, rules: &Rules) -> Vec<MatchLine> {
        let name = rules.set.rules().get(self.rule).map(|rule| rule.name.clone()).unwrap_or_default();
        let rule = RuleName { version: rules.version, name };
        let mut rest = self.parts.amount();
        let command = |parts: Parts| {
            rest -= parts.amount();
            let (strategy, rule) = (self.strategy, rule.clone());
            let by = Some(ByRule { strategy, rule, rest: i64::try_from(rest).unwrap_or(i64::MAX) });
            let Self { line: id, currency, .. } = *self;
            let Parts { items, posts } = parts;
            MatchLine { id, platform, currency, items, posts, by, origin: Origin::of(Actor::Process) }
        };
        self.chunks().map(command).collect()
    }

    /// The parts in chunks, of which the first one has the nodes.
    fn chunks(&self) -> impl Iterator<Item = Parts> + '_ {
        let Parts { items, posts } = &self.parts;
        let (first, others) = items.split_at(items.len().min(MAX_PARTS - posts.len().min(MAX_PARTS)));
        let first = Parts { items: first.to_vec(), posts: posts.clone() };
        let others = others.chunks(MAX_PARTS).map(|items| Parts { items: items.to_vec(), posts: vec![] });
        std::iter::once(first).chain(others)
    }
}
