//! Room: what may still come to an account, or go from it, on a day on which its limits let no more through. What is
//! promised counts: held on the way out, announced on the way in.

use crate::id::{NodeId, PlatformId};
use crate::money::{Currency, Money};
use crate::platform::policy;
use crate::state::States;
use crate::time::Timestamp;

/// Whether so much more would be more than `node` may get on the day of `at`.
pub(super) fn lacks_in(
    states: &impl States,
    platform: PlatformId,
    node: NodeId,
    more: Money,
    at: Timestamp,
) -> bool {
    let account = states.account(node, more.currency);
    let limit = daily_in(states, platform, node, more.currency);
    exceeds(limit, [account.today(at).0, account.pending_in, more.minor])
}

/// The most that `node` may get on a day, if that is limited.
pub(super) fn daily_in(
    states: &impl States,
    platform: PlatformId,
    node: NodeId,
    currency: Currency,
) -> Option<i64> {
    policy::limits(states, platform, node, currency).daily_in
}

/// Whether so much more would be more than `node` may give on the day of `at`; `hold` is what is held for it already.
pub(super) fn lacks_out(
    states: &impl States,
    platform: PlatformId,
    node: NodeId,
    more: Money,
    hold: i64,
    at: Timestamp,
) -> bool {
    let account = states.account(node, more.currency);
    let limit = policy::limits(states, platform, node, more.currency).daily_out;
    // What is promised to itself stands behind nothing: two that are held for would hold each other back.
    let promised = if hold == 0 { account.held } else { 0 };
    exceeds(limit, [account.today(at).1, promised, more.minor])
}

fn exceeds(limit: Option<i64>, parts: [i64; 3]) -> bool {
    let sum: i128 = parts.into_iter().map(i128::from).sum();
    limit.is_some_and(|limit| sum > i128::from(limit))
}
