//! What happens to a subnet.

use serde::{Deserialize, Serialize};

use super::{AccountClass, Allowed};
use crate::event::{carries_a_box, events};
use crate::id::{NodeId, PlatformId, UserId};
use crate::sealed::Sealed;

events! { Subnet:
    /// It was made, and with it its number.
    Created = 80 v 1 "subnet.created",
    /// Its nickname or what it allows was set.
    Updated = 81 v 1 "subnet.updated",
}

/// The subnet was made. Its place in the log is its number's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Created {
    /// The platform of its node.
    pub platform: PlatformId,
    /// The owner of its node.
    pub user: UserId,
    /// Its node.
    pub node: NodeId,
    /// What sort of account others take it for.
    pub class: AccountClass,
    /// Box, class profile of the owner: its nickname.
    #[serde(skip)]
    pub details: Option<Sealed>,
}

carries_a_box!(Created.details);

/// Its owner changed something about it; what is not said stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Updated {
    /// Which way money may go from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<Allowed>,
    /// Box, class profile of the owner: its nickname from now on.
    #[serde(skip)]
    pub details: Option<Sealed>,
}

carries_a_box!(Updated.details);
