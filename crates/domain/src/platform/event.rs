//! Events of a platform.

use serde::{Deserialize, Serialize};

use super::Policy;
use crate::actor::Origin;
use crate::bank::Bank;
use crate::event::{Payload, events};
use crate::id::{NodeId, UserId};

events! { Platform:
    /// The platform was opened, with a user and a reserve of its own.
    Opened = 1 v 1 "platform.opened",
    /// The policy of the platform was set.
    PolicySet = 2 v 1 "platform.policy_set",
    /// The sandbox clock of the platform was advanced.
    ClockAdvanced = 3 v 1 "platform.clock_advanced",
}

/// The platform was opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// The company's name.
    pub name: String,
    /// True if banks and identity checks are simulated.
    pub sandbox: bool,
    /// The platform's own user, created in the same commit.
    pub user: UserId,
    /// RESERVE-US node of this user, created in the same commit.
    pub reserve: NodeId,
    /// The bank that keeps the money of the platform's customers.
    pub bank: Bank,
    /// Time zone in which the platform's months begin and end, by its name in the IANA database; `None` is UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
}

impl Payload for Opened {}

/// The platform's policy was set; it replaces the earlier one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicySet {
    /// The new policy.
    pub policy: Policy,
    /// Origin of the change.
    pub origin: Origin,
}

impl Payload for PolicySet {}

/// The platform's clock was advanced; only a sandbox has this event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockAdvanced {
    /// Milliseconds by which it was advanced.
    pub ms: i64,
}

impl Payload for ClockAdvanced {}
