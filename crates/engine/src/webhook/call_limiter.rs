//! State of the runner about subscriptions: concurrent calls and backoff of failing receivers. It is held in memory
//! only; the next process learns it again from a few calls.

use std::collections::HashMap;
use std::time::Duration;

use daybook_domain::{PlatformId, SubscriptionId};
use tokio::time::Instant;

use super::CallTimeout;
use super::call_slots::{CallSlots, DueLanes, LaneCount};

/// Maximum concurrent calls to one subscription.
const MAX_CALLS_PER_SUBSCRIPTION: usize = 8;
/// Number of consecutive failures after which a subscription is called one at a time, until it accepts an event.
const MAX_FAILURES_IN_A_ROW: u32 = 3;
/// First backoff. Each further failure doubles it.
const MIN_BACKOFF: Duration = Duration::from_secs(1);
/// Maximum backoff, and so the maximum delay of deliveries after a receiver has recovered.
const MAX_BACKOFF: Duration = Duration::from_mins(1);
/// Interval of full timeouts for a receiver that did not respond the last time: one call in so many gets the full
/// timeout, so that a slow receiver can recover.
const FULL_TIMEOUT_EVERY: u32 = 4;

/// End of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallOutcome {
    /// The event was accepted, or there was nothing to deliver.
    Taken,
    /// The event was not accepted.
    Failed,
    /// The call timed out.
    Silence,
}

/// State of the known subscriptions.
#[derive(Default)]
pub(super) struct CallLimiter {
    by_subscription: HashMap<SubscriptionId, SubscriptionCalls>,
    /// Calls in progress.
    pub(super) slots: CallSlots,
}

#[derive(Default)]
struct SubscriptionCalls {
    under_way: usize,
    failures: u32,
    timeouts: u32,
    back_off_until: Option<Instant>,
}

impl CallLimiter {
    /// Creates an empty state with at most `calls` concurrent calls, or the default limit.
    pub(super) fn of(calls: Option<usize>) -> Self {
        Self { by_subscription: HashMap::new(), slots: calls.map(CallSlots::of).unwrap_or_default() }
    }

    /// Returns the number of further lanes of each of `ids` that may be worked on at `now`, without regard to other
    /// subscriptions.
    pub(super) fn capacities(
        &self,
        ids: impl Iterator<Item = SubscriptionId>,
        now: Instant,
    ) -> Vec<LaneCount> {
        let capacity =
            |id| self.by_subscription.get(&id).map_or(MAX_CALLS_PER_SUBSCRIPTION, |one| one.capacity(now));
        let capacities =
            ids.map(|id| LaneCount { subscription: id, count: i32::try_from(capacity(id)).unwrap_or(1) });
        capacities.filter(|lanes| lanes.count > 0).collect()
    }

    /// Distributes the free places among `due`, as [`CallSlots::deal`] does. Within a platform, receivers that accept
    /// events come first.
    pub(super) fn deal(&self, mut due: Vec<DueLanes>) -> Vec<LaneCount> {
        let known = |id: &SubscriptionId| {
            self.by_subscription.get(id).map_or((0, 0), |one| (one.failures, one.under_way))
        };
        due.sort_by_key(|due| (known(&due.lanes.subscription), due.lanes.subscription));
        self.slots.deal(due)
    }

    /// Records the start of a call to `id` of `platform`. Returns its timeout.
    pub(super) fn begin(&mut self, platform: PlatformId, id: SubscriptionId) -> CallTimeout {
        self.slots.take(platform);
        let one = self.by_subscription.entry(id).or_default();
        one.under_way += 1;
        if one.timeouts.is_multiple_of(FULL_TIMEOUT_EVERY) { CallTimeout::Full } else { CallTimeout::Short }
    }

    /// Records the end of a call to `id` of `platform` at `now`.
    pub(super) fn end(
        &mut self,
        platform: PlatformId,
        id: SubscriptionId,
        outcome_kind: CallOutcome,
        now: Instant,
    ) {
        self.slots.give_back(platform);
        let one = self.by_subscription.entry(id).or_default();
        one.under_way = one.under_way.saturating_sub(1);
        one.failures = if outcome_kind == CallOutcome::Taken { 0 } else { one.failures.saturating_add(1) };
        one.timeouts = if outcome_kind == CallOutcome::Silence { one.timeouts.saturating_add(1) } else { 0 };
        one.back_off_until = one.back_off().map(|rest| now + rest);
        if one.under_way == 0 && one.failures == 0 {
            self.by_subscription.remove(&id);
        }
    }
}

impl SubscriptionCalls {
    fn capacity(&self, now: Instant) -> usize {
        let backs_off = self.back_off_until.is_some_and(|until| now < until);
        let most = match self.failures {
            0..MAX_FAILURES_IN_A_ROW => MAX_CALLS_PER_SUBSCRIPTION,
            _ if backs_off => 0,
            _ => 1,
        };
        most.saturating_sub(self.under_way)
    }

    fn back_off(&self) -> Option<Duration> {
        let more = self.failures.checked_sub(MAX_FAILURES_IN_A_ROW)?;
        Some(MIN_BACKOFF.saturating_mul(1 << more.min(6)).min(MAX_BACKOFF))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLATFORM: PlatformId = PlatformId::from_u128(1);

    fn capacity(call_limiter: &CallLimiter, id: SubscriptionId, now: Instant) -> usize {
        call_limiter
            .capacities([id].into_iter(), now)
            .first()
            .map_or(0, |lanes| lanes.count.unsigned_abs() as usize)
    }

    #[test]
    fn failing_receiver_backs_off_until_it_accepts() {
        let (mut call_limiter, id, mut now) =
            (CallLimiter::default(), SubscriptionId::from_u128(1), Instant::now());
        let mut backs_off = vec![];
        for _ in 0..12 {
            call_limiter.begin(PLATFORM, id);
            call_limiter.end(PLATFORM, id, CallOutcome::Failed, now);
            let mut rest = 0;
            while capacity(&call_limiter, id, now) == 0 {
                (now, rest) = (now + Duration::from_secs(1), rest + 1);
            }
            backs_off.push(rest);
        }
        assert_eq!(backs_off, [0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60]);
        assert_eq!(capacity(&call_limiter, id, now), 1);
        call_limiter.begin(PLATFORM, id);
        assert_eq!(capacity(&call_limiter, id, now), 0);
        call_limiter.end(PLATFORM, id, CallOutcome::Taken, now);
        assert_eq!(capacity(&call_limiter, id, now), MAX_CALLS_PER_SUBSCRIPTION);
        assert!(call_limiter.by_subscription.is_empty());
    }

    #[test]
    fn silent_receiver_gets_shorter_timeout() {
        let (mut call_limiter, id, now) =
            (CallLimiter::default(), SubscriptionId::from_u128(1), Instant::now());
        let mut call = |outcome_kind| {
            let call_timeout = call_limiter.begin(PLATFORM, id);
            call_limiter.end(PLATFORM, id, outcome_kind, now);
            call_timeout
        };
        let waited: Vec<_> = (0..9).map(|_| call(CallOutcome::Silence) == CallTimeout::Full).collect();
        assert_eq!(waited, [true, false, false, false, true, false, false, false, true]);
        call(CallOutcome::Failed);
        assert_eq!(call(CallOutcome::Silence), CallTimeout::Full, "the receiver had responded");
        assert_eq!(call(CallOutcome::Taken), CallTimeout::Short);
        assert_eq!(call(CallOutcome::Taken), CallTimeout::Full);
    }

    #[test]
    fn healthy_receiver_comes_before_failing_one() {
        let (mut call_limiter, now) = (CallLimiter::default(), Instant::now());
        let (sick, well) = (SubscriptionId::from_u128(1), SubscriptionId::from_u128(2));
        call_limiter.begin(PLATFORM, sick);
        call_limiter.end(PLATFORM, sick, CallOutcome::Silence, now);
        let due = |subscription| DueLanes { platform: PLATFORM, lanes: LaneCount { subscription, count: 1 } };
        let dealt = call_limiter.deal(vec![due(sick), due(well)]);
        assert_eq!(dealt.first().map(|lanes| lanes.subscription), Some(well));
    }
}
