//! The line before the writer: platforms take turns, and a call counts for as much as it asks for.
//!
//! Each call has a mark: where its platform's calls before it end, or where the line is now. The smallest mark is next. So a call
//! of one command waits for no more than one call of each other platform, however much of theirs came before, and the calls of one
//! platform stay in their order.

use std::collections::{BTreeMap, HashMap};

use daybook_domain::PlatformId;

/// Calls that wait, each of a platform, or of none: what is due by itself.
#[derive(Debug)]
pub(super) struct Line<T> {
    /// By mark, and by number for those with the same.
    waiting: BTreeMap<(u64, u64), T>,
    /// Where the calls of each platform end.
    ends: HashMap<Option<PlatformId>, u64>,
    mark: u64,
    number: u64,
}

impl<T> Default for Line<T> {
    fn default() -> Self {
        Self { waiting: BTreeMap::new(), ends: HashMap::new(), mark: 0, number: 0 }
    }
}

impl<T> Line<T> {
    /// Whether nobody waits.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Has a call of `platform` wait that asks for so much.
    pub(super) fn push(&mut self, platform: Option<PlatformId>, much: usize, call: T) {
        let end = self.ends.entry(platform).or_default();
        let mark = self.mark.max(*end);
        *end = mark.saturating_add(u64::try_from(much).unwrap_or(u64::MAX));
        self.waiting.insert((mark, self.number), call);
        self.number += 1;
    }

    /// The call whose turn it is.
    pub(super) fn pop(&mut self) -> Option<T> {
        let ((mark, _), call) = self.waiting.pop_first()?;
        self.mark = mark;
        if self.waiting.is_empty() {
            self.ends.clear();
            self.mark = 0;
        }
        Some(call)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order in which calls have their turns, that came so: of a platform, with so many commands, by that name.
    fn turns<'a>(came: &[(u128, usize, &'a str)]) -> Vec<&'a str> {
        let mut line = Line::default();
        for (platform, much, name) in came {
            line.push(Some(PlatformId::from_u128(*platform)), *much, *name);
        }
        let order = std::iter::from_fn(|| line.pop()).collect();
        assert!(line.ends.is_empty(), "nothing is kept of who does not wait");
        order
    }

    #[test]
    fn calls_of_one_platform_stay_in_order() {
        assert_eq!(turns(&[(1, 1, "a"), (1, 100, "b"), (1, 1, "c")]), ["a", "b", "c"]);
    }

    #[test]
    fn a_call_waits_for_one_of_each_other_platform() {
        let came = [(1, 100, "a1"), (1, 100, "a2"), (1, 100, "a3"), (2, 1, "b1"), (2, 1, "b2"), (3, 1, "c1")];
        assert_eq!(turns(&came), ["a1", "b1", "c1", "b2", "a2", "a3"]);
    }

    #[test]
    fn a_platform_that_comes_later_is_not_behind() {
        let mut line = Line::default();
        let (one, two) = (Some(PlatformId::from_u128(1)), Some(PlatformId::from_u128(2)));
        (0..10).for_each(|call| line.push(one, 100, call));
        (0..5).for_each(|call| assert_eq!(line.pop(), Some(call)));
        line.push(two, 1, 100);
        assert_eq!(line.pop(), Some(100), "what is first has waited for others already");
        assert_eq!(line.pop(), Some(5));
    }
}
