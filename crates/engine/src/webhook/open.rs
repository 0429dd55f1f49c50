//! State of the runner about subscriptions: concurrent calls and backoff of failing receivers. It is held in memory
//! only; the next process learns it again from a few calls.

use std::collections::HashMap;
use std::time::Duration;

use daybook_domain::{PlatformId, SubscriptionId};
use tokio::time::Instant;

use super::Patience;
use super::places::{Due, Lanes, Places};

/// Maximum concurrent calls to one subscription.
const CALLS_OF_ONE: usize = 8;
/// Number of consecutive failures after which a subscription is called one at a time, until it accepts an event.
const IN_VAIN: u32 = 3;
/// First backoff. Each further failure doubles it.
const FIRST_REST: Duration = Duration::from_secs(1);
/// Maximum backoff, and so the maximum delay of deliveries after a receiver has recovered.
const LONGEST_REST: Duration = Duration::from_mins(1);
/// Interval of full timeouts for a receiver that did not respond the last time: one call in so many gets the full
/// timeout, so that a slow receiver can recover.
const WAITED_FOR: u32 = 4;

/// End of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The event was accepted, or there was nothing to deliver.
    Taken,
    /// The event was not accepted.
    InVain,
    /// The call timed out.
    Silence,
}

/// State of the known subscriptions.
#[derive(Default)]
pub(super) struct Open {
    ones: HashMap<SubscriptionId, One>,
    /// Calls in progress.
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
    /// Creates an empty state with at most `calls` concurrent calls, or the default limit.
    pub(super) fn of(calls: Option<usize>) -> Self {
        Self { ones: HashMap::new(), places: calls.map(Places::of).unwrap_or_default() }
    }

    /// Returns the number of further lanes of each of `ids` that may be worked on at `now`, without regard to other
    /// subscriptions.
    pub(super) fn rooms(&self, ids: impl Iterator<Item = SubscriptionId>, now: Instant) -> Vec<Lanes> {
        let room = |id| self.ones.get(&id).map_or(CALLS_OF_ONE, |one| one.room(now));
        let rooms = ids.map(|id| Lanes { subscription: id, count: i32::try_from(room(id)).unwrap_or(1) });
        rooms.filter(|lanes| lanes.count > 0).collect()
    }

    /// Distributes the free places among `due`, as [`Places::deal`] does. Within a platform, receivers that accept
    /// events come first.
    pub(super) fn deal(&self, mut due: Vec<Due>) -> Vec<Lanes> {
        let known =
            |id: &SubscriptionId| self.ones.get(id).map_or((0, 0), |one| (one.in_vain, one.under_way));
        due.sort_by_key(|due| (known(&due.lanes.subscription), due.lanes.subscription));
        self.places.deal(due)
    }

    /// Records the start of a call to `id` of `platform`. Returns its timeout.
    pub(super) fn begin(&mut self, platform: PlatformId, id: SubscriptionId) -> Patience {
        self.places.take(platform);
        let one = self.ones.entry(id).or_default();
        one.under_way += 1;
        if one.silent.is_multiple_of(WAITED_FOR) { Patience::Whole } else { Patience::Short }
    }

    /// Records the end of a call to `id` of `platform` at `now`.
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
    fn failing_receiver_backs_off_until_it_accepts() {
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
    fn silent_receiver_gets_shorter_timeout() {
        let (mut open, id, now) = (Open::default(), SubscriptionId::from_u128(1), Instant::now());
        let mut call = |ending| {
            let patience = open.begin(PLATFORM, id);
            open.end(PLATFORM, id, ending, now);
            patience
        };
        let waited: Vec<_> = (0..9).map(|_| call(Ending::Silence) == Patience::Whole).collect();
        assert_eq!(waited, [true, false, false, false, true, false, false, false, true]);
        call(Ending::InVain);
        assert_eq!(call(Ending::Silence), Patience::Whole, "the receiver had responded");
        assert_eq!(call(Ending::Taken), Patience::Short);
        assert_eq!(call(Ending::Taken), Patience::Whole);
    }

    #[test]
    fn healthy_receiver_comes_before_failing_one() {
        let (mut open, now) = (Open::default(), Instant::now());
        let (sick, well) = (SubscriptionId::from_u128(1), SubscriptionId::from_u128(2));
        open.begin(PLATFORM, sick);
        open.end(PLATFORM, sick, Ending::Silence, now);
        let due = |subscription| Due { platform: PLATFORM, lanes: Lanes { subscription, count: 1 } };
        let dealt = open.deal(vec![due(sick), due(well)]);
        assert_eq!(dealt.first().map(|lanes| lanes.subscription), Some(well));
    }
}
