//! Events of a subscription.

use serde::{Deserialize, Serialize};

use super::{Scope, StopReason};
use crate::event::{carries_a_box, events};
use crate::id::PlatformId;
use crate::sealed::Sealed;

events! { Subscription:
    /// The subscription was created, and is active.
    Created = 90 v 1 "subscription.created",
    /// One or more values of the subscription were changed.
    Changed = 91 v 1 "subscription.changed",
}

/// The subscription was created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Created {
    /// The platform that subscribes.
    pub platform: PlatformId,
    /// Scopes as the platform listed them, at least one: the occasions on which the address is called.
    pub scopes: Vec<Scope>,
    /// Sealed box, class profile, of the platform's own user: the address.
    #[serde(skip)]
    pub url: Option<Sealed>,
}

carries_a_box!(Created.url);

/// The subscription was changed. A value that is `None` stays as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
    /// New value of `is_active`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_active: Option<bool>,
    /// Reason for the stop, if the platform did not request it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<StopReason>,
    /// New scopes, at least one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<Scope>>,
    /// Generation of the new secret that signs the calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_generation: Option<u32>,
    /// Sealed box, class profile, of the platform's own user: the new address.
    #[serde(skip)]
    pub url: Option<Sealed>,
}

carries_a_box!(Changed.url);
