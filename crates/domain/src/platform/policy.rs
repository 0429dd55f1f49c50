//! Policies: what a platform, or the ledger's operators for it, demand beyond the rules.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::id::{NodeId, PlatformId};
use crate::money::Currency;
use crate::operation::{Act, ActKind};
use crate::state::States;

/// How low the reserve may go unless a policy says otherwise: −1,000.00 (`docs/reference/money.md`).
pub const RESERVE_FLOOR: i64 = -100_000;

/// Limits of one account in one currency, in minor units; what is not set is not limited, or by the platform's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// How low `available` may go: below zero it is a credit limit, above zero a minimum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor: Option<i64>,
    /// The most that may come in on a day, gross.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub daily_in: Option<i64>,
    /// The most that may go out on a day, gross.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub daily_out: Option<i64>,
}

impl Limits {
    /// These limits, and where they say nothing the `others`.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        Self {
            floor: self.floor.or(others.floor),
            daily_in: self.daily_in.or(others.daily_in),
            daily_out: self.daily_out.or(others.daily_out),
        }
    }
}

/// A platform's policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Policy {
    /// A transaction that is due today and not covered is refused, rather than made without a hold.
    pub reject_unfunded: bool,
    /// Currencies beside USD.
    pub currencies: BTreeSet<Currency>,
    /// Limits of every held node that has none of its own.
    pub limits: BTreeMap<Currency, Limits>,
    /// What one operator may not do without another one's approval.
    pub approvals: BTreeSet<ActKind>,
    /// How often one user may have micro-deposits sent on a day, to all of its accounts together; what is not set is
    /// neither bounded nor counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub daily_micro_deposits: Option<u16>,
    /// Consumers authorize pulls in writing; unless it is so, over the internet.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub written_authorizations: bool,
}

impl Policy {
    /// Whether one operator alone may not do `act`. Where anything needs approval, so does another policy: who could
    /// change it alone could do alone whatever it forbids.
    #[must_use]
    pub fn asks_for_approval(&self, act: &Act) -> bool {
        let is_policy = act.kind() == ActKind::SetPolicy && !self.approvals.is_empty();
        is_policy || self.approvals.contains(&act.kind())
    }

    /// Whether money of this currency may move.
    #[must_use]
    pub fn enables(&self, currency: Currency) -> bool {
        currency == Currency::USD || self.currencies.contains(&currency)
    }
}

/// The limits of a node's account: its own, then its platform's, then those of a reserve.
#[must_use]
pub fn limits(states: &impl States, platform: PlatformId, node: NodeId, currency: Currency) -> Limits {
    let own = states.node(node).and_then(|node| node.limits.get(&currency).copied()).unwrap_or_default();
    let Some(platform) = states.platform(platform) else { return own };
    let general = platform.policy.limits.get(&currency).copied().unwrap_or_default();
    let floor = (platform.reserve == node).then_some(RESERVE_FLOOR);
    let reserve = Limits { floor, ..Limits::default() };
    // The platform's floor is about its customers' accounts; its own reserve has one by itself.
    own.or(reserve).or(general)
}

#[cfg(test)]
mod tests;
