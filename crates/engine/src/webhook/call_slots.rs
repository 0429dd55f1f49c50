//! Call slots: the concurrent calls of all platforms, and the fair distribution of free slots.
//!
//! A platform may hold a quarter of the number of slots that are then left free. So one platform alone gets a fifth of
//! all slots, and two get a sixth each. A further platform finds free slots even if a dozen others hold all they may.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use daybook_domain::{PlatformId, SubscriptionId};

/// Maximum concurrent calls.
const MAX_CALLS: usize = 1_024;
/// Free places that must remain for each place that a platform holds.
const FREE_CALLS_PER_OWN_CALL: usize = 4;

/// Number of lanes of a subscription: lanes that are due, that may be worked on, or that got a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LaneCount {
    pub(super) subscription: SubscriptionId,
    pub(super) count: i32,
}

/// Due lanes with their platform.
#[derive(Clone, Copy, Debug)]
pub(super) struct DueLanes {
    pub(super) platform: PlatformId,
    pub(super) lanes: LaneCount,
}

/// Places by platform.
pub(super) struct CallSlots {
    all: usize,
    taken: usize,
    by: HashMap<PlatformId, usize>,
}

impl Default for CallSlots {
    fn default() -> Self {
        Self::of(MAX_CALLS)
    }
}

impl CallSlots {
    /// Creates this number of places, all of them free.
    pub(super) fn of(all: usize) -> Self {
        Self { all, taken: 0, by: HashMap::new() }
    }

    /// Returns true if no place is free.
    pub(super) const fn is_full(&self) -> bool {
        self.taken >= self.all
    }

    /// Distributes the free places among subscriptions with due lanes. Each place goes to the platform that holds
    /// fewest, and within a platform to its subscriptions in turn, in the order of `due`.
    pub(super) fn deal(&self, due: Vec<DueLanes>) -> Vec<LaneCount> {
        let mut waiting: BTreeMap<PlatformId, VecDeque<LaneCount>> = BTreeMap::new();
        for DueLanes { platform, lanes } in due.into_iter().filter(|due| due.lanes.count > 0) {
            waiting.entry(platform).or_default().push_back(lanes);
        }
        let held = |platform: &PlatformId| self.by.get(platform).copied().unwrap_or_default();
        let mut turns: BTreeSet<_> = waiting.keys().map(|platform| (held(platform), *platform)).collect();
        let mut free = self.all.saturating_sub(self.taken);
        let (mut order, mut dealt) = (vec![], HashMap::<SubscriptionId, i32>::new());
        while let Some((held, platform)) = turns.pop_first() {
            let is_first = held == 0 && free > 0;
            if !is_first && (held + 1) * FREE_CALLS_PER_OWN_CALL >= free {
                // No other platform holds fewer places.
                break;
            }
            let Some(own) = waiting.get_mut(&platform) else { continue };
            let Some(LaneCount { subscription, count }) = own.pop_front() else { continue };
            free -= 1;
            let slots = dealt.entry(subscription).or_insert_with(|| {
                order.push(subscription);
                0
            });
            *slots += 1;
            if count > 1 {
                own.push_back(LaneCount { subscription, count: count - 1 });
            }
            turns.insert((held + 1, platform));
        }
        let lanes = |subscription| Some(LaneCount { subscription, count: *dealt.get(&subscription)? });
        order.into_iter().filter_map(lanes).collect()
    }

    /// Takes one place for `platform`.
    pub(super) fn take(&mut self, platform: PlatformId) {
        self.taken += 1;
        *self.by.entry(platform).or_default() += 1;
    }

    /// Frees one place of `platform`.
    pub(super) fn give_back(&mut self, platform: PlatformId) {
        self.taken = self.taken.saturating_sub(1);
        match self.by.get_mut(&platform) {
            Some(own) if *own > 1 => *own -= 1,
            _ => drop(self.by.remove(&platform)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates subscriptions of a platform, each with eight due lanes.
    fn due(platform: u128, subscriptions: u128) -> Vec<DueLanes> {
        let id = |number| SubscriptionId::from_u128(platform * 1_000 + number);
        let lanes = |number| LaneCount { subscription: id(number), count: 8 };
        let due = |number| DueLanes { platform: PlatformId::from_u128(platform), lanes: lanes(number) };
        (0..subscriptions).map(due).collect()
    }

    /// Distributes and takes the free places. Returns the number of places taken.
    fn deal(slots: &mut CallSlots, due: &[DueLanes]) -> usize {
        let dealt = slots.deal(due.to_vec());
        for lanes in &dealt {
            let due = due.iter().find(|due| due.lanes.subscription == lanes.subscription);
            let DueLanes { platform, .. } = due.expect("one of them");
            (0..lanes.count).for_each(|_| slots.take(*platform));
        }
        dealt.iter().map(|lanes| lanes.count.unsigned_abs() as usize).sum()
    }

    #[test]
    fn one_platform_gets_a_fifth_at_most() {
        let mut slots = CallSlots::default();
        assert_eq!(deal(&mut slots, &due(1, 300)), MAX_CALLS / 5);
        assert_eq!(deal(&mut slots, &due(1, 300)), 0, "no place was freed");
        assert_eq!(deal(&mut slots, &due(2, 1)), 8);
    }

    #[test]
    fn further_platforms_find_free_places() {
        let mut slots = CallSlots::default();
        for platform in 1..=20 {
            assert!(deal(&mut slots, &due(platform, 300)) > 0, "platform {platform}");
        }
        assert!(!slots.is_full());
    }

    #[test]
    fn simultaneous_platforms_get_equal_places() {
        let all = [due(1, 300), due(2, 1), due(3, 300)].concat();
        let dealt = CallSlots::default().deal(all);
        let of = |platform: u128| {
            let own = dealt.iter().filter(|lanes| lanes.subscription.as_u128() / 1_000 == platform);
            own.map(|lanes| lanes.count).sum::<i32>()
        };
        assert_eq!((of(2), of(1)), (8, of(3)));
        let one_each = CallSlots::default().deal(due(1, 100));
        assert!(one_each.iter().all(|lanes| [2, 3].contains(&lanes.count)), "{one_each:?}");
    }

    #[test]
    fn freed_places_are_forgotten() {
        let (mut slots, one) = (CallSlots::default(), PlatformId::from_u128(1));
        slots.take(one);
        slots.give_back(one);
        assert!(slots.by.is_empty() && slots.taken == 0);
    }
}
