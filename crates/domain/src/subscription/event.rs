//! What happens to a subscription.

use serde::{Deserialize, Serialize};

use super::{Scope, StopReason};
use crate::event::{carries_a_box, events};
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

carries_a_box!(Created.url);

/// Something about it was changed; what is not said stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
    /// Whether it is called from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_active: Option<bool>,
    /// Why it is inactive from now on, where its platform did not ask for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<StopReason>,
    /// When it is called from now on; at least one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<Scope>>,
    /// The generation of the secret that its calls are signed with from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_generation: Option<u32>,
    /// Box, class profile of the platform's own user: the address from now on.
    #[serde(skip)]
    pub url: Option<Sealed>,
}

carries_a_box!(Changed.url);
