//! What happens to a subscription.

use serde::{Deserialize, Serialize};

use super::Scope;
use crate::event::{Payload, events};
use crate::id::PlatformId;
use crate::sealed::Sealed;

events! { Subscription:
    /// It was made, and is active.
    Created = 90 v 1 "subscription.created",
    /// Something about it was set.
    Changed = 91 v 1 "subscription.changed",
}

/// The subscription was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Created {
    /// The platform that wants to be called.
    pub platform: PlatformId,
    /// When it is called, as the platform listed it; at least one.
    pub scopes: Vec<Scope>,
    /// Box, class profile of the platform's own user: the address.
    #[serde(skip)]
    pub url: Option<Sealed>,
}

impl Payload for Created {
    fn sealed(&self) -> Option<&Sealed> {
        self.url.as_ref()
    }
    fn attach(&mut self, sealed: Option<Sealed>) {
        self.url = sealed;
    }
}

/// The platform changed something about it; what is not said stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
    /// Whether it is called from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_active: Option<bool>,
    /// When it is called from now on; at least one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<Scope>>,
    /// Box, class profile of the platform's own user: the address from now on.
    #[serde(skip)]
    pub url: Option<Sealed>,
}

impl Payload for Changed {
    fn sealed(&self) -> Option<&Sealed> {
        self.url.as_ref()
    }
    fn attach(&mut self, sealed: Option<Sealed>) {
        self.url = sealed;
    }
}
