//! What happens to a platform.

use serde::{Deserialize, Serialize};

use super::Policy;
use crate::actor::Origin;
use crate::bank::Bank;
use crate::event::{Payload, events};
use crate::id::{NodeId, UserId};

events! { Platform:
    /// It was made, with a user and a reserve of its own.
    Opened = 1 v 1 "platform.opened",
    /// Its policy was set.
    PolicySet = 2 v 1 "platform.policy_set",
    /// Its sandbox clock was advanced.
    ClockAdvanced = 3 v 1 "platform.clock_advanced",
}

/// The platform was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// The company's name.
    pub name: String,
    /// Whether banks and identity checks are simulated.
    pub sandbox: bool,
    /// The platform's own user, made in the same commit.
    pub user: UserId,
    /// That user's RESERVE-US node, made in the same commit.
    pub reserve: NodeId,
    /// The bank that keeps its customers' money.
    pub bank: Bank,
    /// The time zone in which its months begin and end, by its name in the IANA database; UTC unless it is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
}

impl Payload for Opened {}

/// The platform's policy was set, as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicySet {
    /// From now on.
    pub policy: Policy,
    /// Who set it.
    pub origin: Origin,
}

impl Payload for PolicySet {}

/// The platform's clock was advanced; only ever in the sandbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockAdvanced {
    /// By how many milliseconds.
    pub ms: i64,
}

impl Payload for ClockAdvanced {}
