//! Policies: demands beyond the rules, set by operators for a platform.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::calendar::{Day, Month};
use crate::id::{NodeId, PlatformId};
use crate::money::Currency;
use crate::operation::{Act, ActKind};
use crate::state::States;

/// Floor of the reserve in minor units unless its limits say otherwise: −1,000.00 (`docs/reference/money.md`).
pub const RESERVE_FLOOR: i64 = -100_000;

/// Number of years for which the bank's files are kept unless the policy says otherwise. The longest duty known to us:
/// § 147 AO and § 257 HGB in Germany demanded ten years for records until 2024; 17 CFR 210.2-06 demands seven.
pub const EVIDENCE_YEARS: u16 = 10;

/// Limits of one account in one currency, in minor units. Instead of a limit that is `None`, the platform's limit
/// applies; without one there is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Lowest permitted `available`: below zero a credit limit, above zero a minimum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor: Option<i64>,
    /// Maximum gross amount that may come in on a day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub daily_in: Option<i64>,
    /// Maximum gross amount that may go out on a day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub daily_out: Option<i64>,
}

impl Limits {
    /// These limits, completed by `others` where they are `None`.
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
    /// True to refuse a transaction that is due today and not covered; otherwise it is created without a hold.
    pub reject_unfunded: bool,
    /// Permitted currencies besides USD.
    pub currencies: BTreeSet<Currency>,
    /// Limits of held nodes without limits of their own, by currency.
    pub limits: BTreeMap<Currency, Limits>,
    /// Kinds of acts that need the approval of another operator.
    pub approvals: BTreeSet<ActKind>,
    /// Maximum number of times that micro-deposits are sent for one user on a day, to all of its accounts together;
    /// `None` neither bounds nor counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub daily_micro_deposits: Option<u16>,
    /// True if consumers authorize pulls in writing, false if they do so over the internet.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub written_authorizations: bool,
    /// Number of years for which the bank's files are kept after the end of their month; `None` for
    /// [`EVIDENCE_YEARS`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence_years: Option<u16>,
}

impl Policy {
    /// Returns true if `act` needs the approval of another operator. If any kind of act needs approval, so does a
    /// change of the policy: otherwise one operator alone could lift the demand.
    #[must_use]
    pub fn asks_for_approval(&self, act: &Act) -> bool {
        let is_policy = act.kind() == ActKind::SetPolicy && !self.approvals.is_empty();
        is_policy || self.approvals.contains(&act.kind())
    }

    /// Returns the day on which the bank's files of `month` are destroyed, if the first of them is kept under this policy.
    #[must_use]
    pub fn evidence_kept_until(&self, month: Month) -> Day {
        month.next().plus_years(self.evidence_years.unwrap_or(EVIDENCE_YEARS)).first_day()
    }

    /// Returns true if money of this currency may move.
    #[must_use]
    pub fn enables(&self, currency: Currency) -> bool {
        currency == Currency::USD || self.currencies.contains(&currency)
    }
}

/// Limits of a node's account: its own, then the default floor of a reserve, then those of its platform.
#[must_use]
pub fn limits(states: &impl States, platform: PlatformId, node: NodeId, currency: Currency) -> Limits {
    let own = states.node(node).and_then(|node| node.limits.get(&currency).copied()).unwrap_or_default();
    let Some(platform) = states.platform(platform) else { return own };
    let general = platform.policy.limits.get(&currency).copied().unwrap_or_default();
    let floor = (platform.reserve == node).then_some(RESERVE_FLOOR);
    let reserve = Limits { floor, ..Limits::default() };
    // The platform's floor concerns the accounts of its customers. Its own reserve has a floor by default.
    own.or(reserve).or(general)
}

#[cfg(test)]
mod tests;
