//! Events of a subnet.

use serde::{Deserialize, Serialize};

use super::{AccountClass, Allowed};
use crate::event::{carries_a_box, events};
use crate::id::{NodeId, PlatformId, UserId};
use crate::sealed::Sealed;

events! { Subnet:
    /// The subnet was created, together with its number.
    Created = 80 v 1 "subnet.created",
    /// The nickname or the permitted directions of the subnet were set.
    Updated = 81 v 1 "subnet.updated",
}

/// The subnet was created. Its number follows from the position of this event in the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Created {
    /// Platform of the node.
    pub platform: PlatformId,
    /// Owner of the node.
    pub user: UserId,
    /// Node of the subnet.
    pub node: NodeId,
    /// Class of account as which others see the subnet.
    pub class: AccountClass,
    /// Sealed box, class profile, of the owner: the nickname.
    #[serde(skip)]
    pub details: Option<Sealed>,
}

carries_a_box!(Created.details);

/// The owner changed the subnet. A value that is `None` stays as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Updated {
    /// New directions in which money may move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<Allowed>,
    /// Sealed box, class profile, of the owner: the new nickname.
    #[serde(skip)]
    pub details: Option<Sealed>,
}

carries_a_box!(Updated.details);
