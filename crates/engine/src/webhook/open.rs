//! What is known of subscriptions while the runner runs: how many calls are under way, and how long whoever takes nothing is
//! left alone. It is not kept: the next process finds out again by a few calls.

use std::collections::HashMap;
use std::time::Duration;

use daybook_domain::SubscriptionId;
use tokio::time::Instant;
use uuid::Uuid;

/// Calls to one subscription that are under way at once.
const CALLS_OF_ONE: usize = 8;
/// After so many calls in vain, one after the other, a subscription is called one at a time until it takes something.
const IN_VAIN: u32 = 3;
/// How long it is left alone after the first of these; each further one doubles that.
const FIRST_REST: Duration = Duration::from_secs(1);
/// How long it is left alone at most: so long after it is well again it is told.
const LONGEST_REST: Duration = Duration::from_mins(1);

/// Those of whom something is known.
#[derive(Default)]
pub(super) struct Open(HashMap<SubscriptionId, One>);

#[derive(Default)]
struct One {
    under_way: usize,
    in_vain: u32,
    rests_until: Option<Instant>,
}

impl Open {
    /// How much more each of `ids` may be told at `now`, and `all` of them together.
    pub(super) fn rooms(
        &self,
        ids: impl Iterator<Item = SubscriptionId>,
        mut all: usize,
        now: Instant,
    ) -> Vec<(Uuid, i32)> {
        let mut rooms = vec![];
        for id in ids {
            let room = self.0.get(&id).map_or(CALLS_OF_ONE, |one| one.room(now)).min(all);
            if room > 0 {
                all -= room;
                rooms.push((Uuid::from_u128(id.as_u128()), i32::try_from(room).unwrap_or(1)));
            }
        }
        rooms
    }

    /// Notes that `id` is called.
    pub(super) fn begin(&mut self, id: SubscriptionId) {
        self.0.entry(id).or_default().under_way += 1;
    }

    /// Notes that a call to `id` ended at `now`, and whether it was taken.
    pub(super) fn end(&mut self, id: SubscriptionId, is_taken: bool, now: Instant) {
        let one = self.0.entry(id).or_default();
        one.under_way = one.under_way.saturating_sub(1);
        one.in_vain = if is_taken { 0 } else { one.in_vain.saturating_add(1) };
        one.rests_until = one.rest().map(|rest| now + rest);
        if one.under_way == 0 && one.in_vain == 0 {
            self.0.remove(&id);
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

    fn room(open: &Open, id: SubscriptionId, now: Instant) -> usize {
        open.rooms([id].into_iter(), 100, now).first().map_or(0, |(_, room)| room.unsigned_abs() as usize)
    }

    #[test]
    fn whoever_takes_nothing_is_left_alone_longer_and_longer_until_it_takes_something() {
        let (mut open, id, mut now) = (Open::default(), SubscriptionId::from_u128(1), Instant::now());
        let mut rests = vec![];
        for _ in 0..12 {
            open.begin(id);
            open.end(id, false, now);
            let mut rest = 0;
            while room(&open, id, now) == 0 {
                (now, rest) = (now + Duration::from_secs(1), rest + 1);
            }
            rests.push(rest);
        }
        assert_eq!(rests, [0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60]);
        assert_eq!(room(&open, id, now), 1);
        open.begin(id);
        assert_eq!(room(&open, id, now), 0);
        open.end(id, true, now);
        assert_eq!(room(&open, id, now), CALLS_OF_ONE);
        assert!(open.0.is_empty());
    }

    #[test]
    fn nobody_has_more_room_than_all_together() {
        let (open, ids) = (Open::default(), (1..=3).map(SubscriptionId::from_u128));
        let rooms: Vec<i32> = open.rooms(ids, 10, Instant::now()).into_iter().map(|(_, room)| room).collect();
        assert_eq!(rooms, [8, 2]);
    }
}
