//! Daily limits: the amount that may still come to an account, or go from it, on a day. Promised money counts: held on
//! the way out, announced on the way in.

use crate::id::{NodeId, PlatformId};
use crate::money::{Currency, Money};
use crate::platform::policy;
use crate::state::States;
use crate::time::Timestamp;

/// Returns true if `more` would exceed the amount that `node` may get on the day of `at`.
pub(super) fn exceeds_limit_in(
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

/// Maximum amount that `node` may get on a day, if it is limited.
pub(super) fn daily_in(
    states: &impl States,
    platform: PlatformId,
    node: NodeId,
    currency: Currency,
) -> Option<i64> {
    policy::limits(states, platform, node, currency).daily_in
}

/// Returns true if `more` would exceed the amount that `node` may give on the day of `at`; `hold` is held for the
/// transaction already.
pub(super) fn exceeds_limit_out(
    states: &impl States,
    platform: PlatformId,
    node: NodeId,
    more: Money,
    hold: i64,
    at: Timestamp,
) -> bool {
    let account = states.account(node, more.currency);
    let limit = policy::limits(states, platform, node, more.currency).daily_out;
    // A transaction with a hold does not count other holds: otherwise two held transactions would block each other.
    let promised = if hold == 0 { account.held } else { 0 };
    exceeds(limit, [account.today(at).1, promised, more.minor])
}

fn exceeds(limit: Option<i64>, parts: [i64; 3]) -> bool {
    let sum: i128 = parts.into_iter().map(i128::from).sum();
    limit.is_some_and(|limit| sum > i128::from(limit))
}
