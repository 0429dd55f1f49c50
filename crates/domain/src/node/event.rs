//! What happens to a node.

use serde::{Deserialize, Serialize};

use super::{Allowed, NodeKind};
use crate::event::{Payload, events};
use crate::id::{PlatformId, UserId};
use crate::sealed::Sealed;

events! { Node:
    /// It was made.
    Created = 20 v 1 "node.created",
}

/// The node was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Created {
    /// The platform of its owner.
    pub platform: PlatformId,
    /// Its owner.
    pub user: UserId,
    /// Its type.
    pub kind: NodeKind,
    /// Which way money may go.
    pub allowed: Allowed,
    /// In the lists, or only to be fetched by its id.
    pub is_active: bool,
    /// Debited only by calls that also carry the platform's own credentials.
    pub gateway_restricted: bool,
    /// Box, class profile: nickname, numbers, names and addresses.
    #[serde(skip)]
    pub details: Option<Sealed>,
}

impl Payload for Created {
    fn sealed(&self) -> Option<&Sealed> {
        self.details.as_ref()
    }
    fn attach(&mut self, sealed: Option<Sealed>) {
        self.details = sealed;
    }
}
