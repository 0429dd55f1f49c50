//! The fair queue before the writer: platforms take turns, and a call counts by the number of its commands.
//!
//! Each call has a mark: the end of its platform's earlier calls, or the current mark of the queue if that is higher.
//! The call with the smallest mark is next (start-time fair queuing). So a call with one command waits for at most one
//! call of each other platform, however many of their calls came before, and the calls of one platform keep their
//! order.

use std::collections::{BTreeMap, HashMap};

use daybook_domain::PlatformId;

/// Waiting calls by platform. Calls of background processes have none.
#[derive(Debug)]
pub(super) struct FairQueue<T> {
    /// Calls ordered by mark, and by number among equal marks.
    waiting: BTreeMap<(u64, u64), T>,
    /// End mark of each platform's calls.
    ends: HashMap<Option<PlatformId>, u64>,
    mark: u64,
    number: u64,
}

impl<T> Default for FairQueue<T> {
    fn default() -> Self {
        Self { waiting: BTreeMap::new(), ends: HashMap::new(), mark: 0, number: 0 }
    }
}

impl<T> FairQueue<T> {
    /// Returns true if no call waits.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Adds a call of `platform` with the cost `much`.
    pub(super) fn push(&mut self, platform: Option<PlatformId>, much: usize, call: T) {
        let end = self.ends.entry(platform).or_default();
        let mark = self.mark.max(*end);
        *end = mark.saturating_add(u64::try_from(much).unwrap_or(u64::MAX));
        self.waiting.insert((mark, self.number), call);
        self.number += 1;
    }

    /// Removes and returns the next call.
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

    /// Returns the order in which calls are served. Each call has a platform, a number of commands and a name.
    fn turns<'a>(came: &[(u128, usize, &'a str)]) -> Vec<&'a str> {
        let mut line = FairQueue::default();
        for (platform, much, name) in came {
            line.push(Some(PlatformId::from_u128(*platform)), *much, *name);
        }
        let order = std::iter::from_fn(|| line.pop()).collect();
        assert!(line.ends.is_empty(), "no end mark is kept without waiting calls");
        order
    }

    #[test]
    fn calls_of_one_platform_keep_order() {
        assert_eq!(turns(&[(1, 1, "a"), (1, 100, "b"), (1, 1, "c")]), ["a", "b", "c"]);
    }

    #[test]
    fn call_waits_once_per_other_platform() {
        let came = [(1, 100, "a1"), (1, 100, "a2"), (1, 100, "a3"), (2, 1, "b1"), (2, 1, "b2"), (3, 1, "c1")];
        assert_eq!(turns(&came), ["a1", "b1", "c1", "b2", "a2", "a3"]);
    }

    #[test]
    fn late_platform_is_served_in_turn() {
        let mut line = FairQueue::default();
        let (one, two) = (Some(PlatformId::from_u128(1)), Some(PlatformId::from_u128(2)));
        (0..10).for_each(|call| line.push(one, 100, call));
        (0..5).for_each(|call| assert_eq!(line.pop(), Some(call)));
        line.push(two, 1, 100);
        assert_eq!(line.pop(), Some(100), "the first call has waited for others already");
        assert_eq!(line.pop(), Some(5));
    }
}
