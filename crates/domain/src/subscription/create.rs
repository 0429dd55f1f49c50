//! Create a subscription.

use super::Scope;
use super::event::Created;
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::{PlatformId, SubscriptionId};
use crate::platform;
use crate::sealed::Sealed;
use crate::state::States;
use crate::time::Timestamp;

/// Command to create a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Create {
    /// Id of the new subscription.
    pub id: SubscriptionId,
    /// The platform that subscribes.
    pub platform: PlatformId,
    /// Scopes, at least one: the occasions on which the address is called.
    pub scopes: Vec<Scope>,
    /// Sealed box, class profile, of the platform's own user: the address.
    pub url: Sealed,
}

impl Decide for Create {
    fn subject(&self) -> Key {
        self.id.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![self.id.into(), self.platform.into()]
    }

    /// Decides. The same command again changes nothing.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        states.platform(self.platform).ok_or(platform::Refusal::Unknown)?;
        if states.subscription(self.id).is_some() {
            return Ok(vec![]);
        }
        let url = Some(self.url.clone());
        Ok(vec![NewEvent::new(
            self.id,
            Created { platform: self.platform, scopes: self.scopes.clone(), url },
        )])
    }

    fn platform_of_new(&self) -> Option<PlatformId> {
        Some(self.platform)
    }

    fn weight(&self) -> usize {
        self.url.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::fixture::{PLATFORM, sealed, subscription};
    use crate::testing::given;

    #[test]
    fn new_subscription_is_active() {
        let new = subscription(1);
        let url = Some(sealed(1));
        let created = Created { platform: PLATFORM, scopes: new.scopes.clone(), url };
        let world = given([]).when(new.clone()).then([NewEvent::new(new.id, created)]);
        assert!(world.subscription(new.id).is_some_and(|subscription| subscription.is_active));
        world.when(new).then([]);
    }

    #[test]
    fn unknown_platform_cannot_subscribe() {
        let foreign = Create { platform: PlatformId::from_u128(2), ..subscription(1) };
        given([]).when(foreign).refused(platform::Refusal::Unknown);
    }
}
