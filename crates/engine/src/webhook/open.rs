//! What is known of subscriptions while the runner runs: how many calls are under way, and how long whoever takes nothing is
//! left alone. It is not kept: the next process finds out again by a few calls.

use std::collections::HashMap;
use std::time::Duration;

use daybook_domain::{PlatformId, SubscriptionId};
use tokio::time::Instant;

use super::Patience;
use super::places::{Due, Lanes, Places};

/// Calls to one subscription that are under way at once.
const CALLS_OF_ONE: usize = 8;
/// After so many calls in vain, one after the other, a subscription is called one at a time until it takes something.
const IN_VAIN: u32 = 3;
/// How long it is left alone after the first of these; each further one doubles that.
const FIRST_REST: Duration = Duration::from_secs(1);
/// How long it is left alone at most: so long after it is well again it is told.
const LONGEST_REST: Duration = Duration::from_mins(1);
/// Of the calls to a receiver that said nothing the last time one in so many waits for its answer as long as any: a receiver that
/// is slow is heard again.
const WAITED_FOR: u32 = 4;

/// What came of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// It was taken, or there was nothing to tell.
    Taken,
    /// It was not.
    InVain,
    /// Nothing was said until the time was over.
    Silence,
}

/// The subscriptions of which something is known.
#[derive(Default)]
pub(super) struct Open {
    ones: HashMap<SubscriptionId, One>,
    /// The calls that are under way.
    pub(super) places: Places,
}

#[derive(Default)]
struct One {
    under_way: usize,
    in_vain: u32,
    silent: u32,
    rests_until: Option<Instant>,
}

impl Open {
    /// Nothing is known, and so many calls are under way at most, or as many as there are otherwise.
    pub(super) fn of(calls: Option<usize>) -> Self {
        Self { ones: HashMap::new(), places: calls.map(Places::of).unwrap_or_default() }
    }

    /// How many lanes of each of `ids` may be worked on at `now` beside those that are, were it alone.
    pub(super) fn rooms(&self, ids: impl Iterator<Item = SubscriptionId>, now: Instant) -> Vec<Lanes> {
        let room = |id| self.ones.get(&id).map_or(CALLS_OF_ONE, |one| one.room(now));
        let rooms = ids.map(|id| Lanes { subscription: id, count: i32::try_from(room(id)).unwrap_or(1) });
        rooms.filter(|lanes| lanes.count > 0).collect()
    }

    /// Deals the places that are free among those of `due`: as [`Places::deal`], and in a platform who takes what it is told
    /// comes first.
    pub(super) fn deal(&self, mut due: Vec<Due>) -> Vec<Lanes> {
        let known =
            |id: &SubscriptionId| self.ones.get(id).map_or((0, 0), |one| (one.in_vain, one.under_way));
        due.sort_by_key(|due| (known(&due.lanes.subscription), due.lanes.subscription));
        self.places.deal(due)
    }

    /// Notes that `id` of `platform` is called; answers how long it is waited for.
    pub(super) fn begin(&mut self, platform: PlatformId, id: SubscriptionId) -> Patience {
        self.places.take(platform);
        let one = self.ones.entry(id).or_default();
        one.under_way += 1;
        if one.silent.is_multiple_of(WAITED_FOR) { Patience::Whole } else { Patience::Short }
    }

    /// Notes how a call to `id` of `platform` ended at `now`.
    pub(super) fn end(&mut self, platform: PlatformId, id: SubscriptionId, ending: Ending, now: Instant) {
        self.places.give_back(platform);
        let one = self.ones.entry(id).or_default();
        one.under_way = one.under_way.saturating_sub(1);
        one.in_vain = if ending == Ending::Taken { 0 } else { one.in_vain.saturating_add(1) };
        one.silent = if ending == Ending::Silence { one.silent.saturating_add(1) } else { 0 };
        one.rests_until = one.rest().map(|rest| now + rest);
        if one.under_way == 0 && one.in_vain == 0 {
            self.ones.remove(&id);
        }
    }
}

impl One {
    fn room(&self, now: Instant) -> usize {
        let rests = self.rests_until.is_some_and(|until| now < until);
        let most = match self.in_vain {
            0..IN_VAIN => CALLS_OF_ONE,
            _ if rests => 0,
            _ => 1,
        };
        most.saturating_sub(self.under_way)
    }

    fn rest(&self) -> Option<Duration> {
        let more = self.in_vain.checked_sub(IN_VAIN)?;
        Some(FIRST_REST.saturating_mul(1 << more.min(6)).min(LONGEST_REST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLATFORM: PlatformId = PlatformId::from_u128(1);

    fn room(open: &Open, id: SubscriptionId, now: Instant) -> usize {
        open.rooms([id].into_iter(), now).first().map_or(0, |lanes| lanes.count.unsigned_abs() as usize)
    }

    #[test]
    fn whoever_takes_nothing_is_left_alone_longer_and_longer_until_it_takes_something() {
        let (mut open, id, mut now) = (Open::default(), SubscriptionId::from_u128(1), Instant::now());
        let mut rests = vec![];
        for _ in 0..12 {
            open.begin(PLATFORM, id);
            open.end(PLATFORM, id, Ending::InVain, now);
            let mut rest = 0;
            while room(&open, id, now) == 0 {
                (now, rest) = (now + Duration::from_secs(1), rest + 1);
            }
            rests.push(rest);
        }
        assert_eq!(rests, [0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60]);
        assert_eq!(room(&open, id, now), 1);
        open.begin(PLATFORM, id);
        assert_eq!(room(&open, id, now), 0);
        open.end(PLATFORM, id, Ending::Taken, now);
        assert_eq!(room(&open, id, now), CALLS_OF_ONE);
        assert!(open.ones.is_empty());
    }

    #[test]
    fn a_silent_receiver_is_waited_for_less() {
        let (mut open, id, now) = (Open::default(), SubscriptionId::from_u128(1), Instant::now());
        let mut call = |ending| {
            let patience = open.begin(PLATFORM, id);
            open.end(PLATFORM, id, ending, now);
            patience
        };
        let waited: Vec<_> = (0..9).map(|_| call(Ending::Silence) == Patience::Whole).collect();
        assert_eq!(waited, [true, false, false, false, true, false, false, false, true]);
        call(Ending::InVain);
        assert_eq!(call(Ending::Silence), Patience::Whole, "it had said something");
        assert_eq!(call(Ending::Taken), Patience::Short);
        assert_eq!(call(Ending::Taken), Patience::Whole);
    }

    #[test]
    fn a_receiver_that_takes_comes_before_one_that_does_not() {
        let (mut open, now) = (Open::default(), Instant::now());
        let (sick, well) = (SubscriptionId::from_u128(1), SubscriptionId::from_u128(2));
        open.begin(PLATFORM, sick);
        open.end(PLATFORM, sick, Ending::Silence, now);
        let due = |subscription| Due { platform: PLATFORM, lanes: Lanes { subscription, count: 1 } };
        let dealt = open.deal(vec![due(sick), due(well)]);
        assert_eq!(dealt.first().map(|lanes| lanes.subscription), Some(well));
    }
}
