//! Places: the calls of all platforms that are under way, and who gets those that are free.
//!
//! A platform may have a fourth as many as are left free then. So one alone has a fifth of them, two have a sixth each, and one
//! that comes as well finds some free, though a dozen before it took all they could and gave none back.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use daybook_domain::{PlatformId, SubscriptionId};

/// Calls that are under way at once.
const CALLS: usize = 1_024;
/// So many must be left free for each that a platform has.
const FREE_FOR_ONE: usize = 4;

/// Lanes of a subscription: that are due, that there is room for, or that got a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lanes {
    pub(super) subscription: SubscriptionId,
    pub(super) count: i32,
}

/// Lanes that are due, and whose they are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    pub(super) platform: PlatformId,
    pub(super) lanes: Lanes,
}

/// Who has which.
pub(super) struct Places {
    all: usize,
    taken: usize,
    by: HashMap<PlatformId, usize>,
}

impl Default for Places {
    fn default() -> Self {
        Self::of(CALLS)
    }
}

impl Places {
    /// So many, all of them free.
    pub(super) fn of(all: usize) -> Self {
        Self { all, taken: 0, by: HashMap::new() }
    }

    /// Whether there is none for anybody.
    pub(super) const fn is_full(&self) -> bool {
        self.taken >= self.all
    }

    /// Deals what is free among subscriptions with so many lanes that are due: one at a time, to the platform that has fewest, and
    /// in it by turns in the order of `due`.
    pub(super) fn deal(&self, due: Vec<Due>) -> Vec<Lanes> {
        let mut waiting: BTreeMap<PlatformId, VecDeque<Lanes>> = BTreeMap::new();
        for Due { platform, lanes } in due.into_iter().filter(|due| due.lanes.count > 0) {
            waiting.entry(platform).or_default().push_back(lanes);
        }
        let held = |platform: &PlatformId| self.by.get(platform).copied().unwrap_or_default();
        let mut turns: BTreeSet<_> = waiting.keys().map(|platform| (held(platform), *platform)).collect();
        let mut free = self.all.saturating_sub(self.taken);
        let (mut order, mut dealt) = (vec![], HashMap::<SubscriptionId, i32>::new());
        while let Some((held, platform)) = turns.pop_first() {
            let is_first = held == 0 && free > 0;
            if !is_first && (held + 1) * FREE_FOR_ONE >= free {
                // Nobody has fewer.
                break;
            }
            let Some(own) = waiting.get_mut(&platform) else { continue };
            let Some(Lanes { subscription, count }) = own.pop_front() else { continue };
            free -= 1;
            let places = dealt.entry(subscription).or_insert_with(|| {
                order.push(subscription);
                0
            });
            *places += 1;
            if count > 1 {
                own.push_back(Lanes { subscription, count: count - 1 });
            }
            turns.insert((held + 1, platform));
        }
        let lanes = |subscription| Some(Lanes { subscription, count: *dealt.get(&subscription)? });
        order.into_iter().filter_map(lanes).collect()
    }

    /// Notes that `platform` has one more.
    pub(super) fn take(&mut self, platform: PlatformId) {
        self.taken += 1;
        *self.by.entry(platform).or_default() += 1;
    }

    /// Notes that `platform` has one less.
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

    /// Subscriptions of a platform, each with eight lanes that are due.
    fn due(platform: u128, subscriptions: u128) -> Vec<Due> {
        let id = |number| SubscriptionId::from_u128(platform * 1_000 + number);
        let lanes = |number| Lanes { subscription: id(number), count: 8 };
        let due = |number| Due { platform: PlatformId::from_u128(platform), lanes: lanes(number) };
        (0..subscriptions).map(due).collect()
    }

    /// Deals what is free, and has it taken; answers how much.
    fn deal(places: &mut Places, due: &[Due]) -> usize {
        let dealt = places.deal(due.to_vec());
        for lanes in &dealt {
            let due = due.iter().find(|due| due.lanes.subscription == lanes.subscription);
            let Due { platform, .. } = due.expect("one of them");
            (0..lanes.count).for_each(|_| places.take(*platform));
        }
        dealt.iter().map(|lanes| lanes.count.unsigned_abs() as usize).sum()
    }

    #[test]
    fn one_platform_never_has_more_than_a_fifth() {
        let mut places = Places::default();
        assert_eq!(deal(&mut places, &due(1, 300)), CALLS / 5);
        assert_eq!(deal(&mut places, &due(1, 300)), 0, "nothing of it came back");
        assert_eq!(deal(&mut places, &due(2, 1)), 8);
    }

    #[test]
    fn another_platform_finds_some_free() {
        let mut places = Places::default();
        for platform in 1..=20 {
            assert!(deal(&mut places, &due(platform, 300)) > 0, "platform {platform}");
        }
        assert!(!places.is_full());
    }

    #[test]
    fn platforms_that_come_together_get_the_same() {
        let all = [due(1, 300), due(2, 1), due(3, 300)].concat();
        let dealt = Places::default().deal(all);
        let of = |platform: u128| {
            let own = dealt.iter().filter(|lanes| lanes.subscription.as_u128() / 1_000 == platform);
            own.map(|lanes| lanes.count).sum::<i32>()
        };
        assert_eq!((of(2), of(1)), (8, of(3)));
        let one_each = Places::default().deal(due(1, 100));
        assert!(one_each.iter().all(|lanes| [2, 3].contains(&lanes.count)), "{one_each:?}");
    }

    #[test]
    fn what_is_given_back_is_forgotten() {
        let (mut places, one) = (Places::default(), PlatformId::from_u128(1));
        places.take(one);
        places.give_back(one);
        assert!(places.by.is_empty() && places.taken == 0);
    }
}
