//! Change a subscription: its address, its scopes, its secret, and whether it is called.

use super::event::Changed;
use super::{Refusal, Scope, StopReason};
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::{PlatformId, SubscriptionId};
use crate::sealed::Sealed;
use crate::state::States;
use crate::time::Timestamp;

/// Command to change a subscription. A value that is `None` stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The subscription.
    pub id: SubscriptionId,
    /// Platform of the caller.
    pub platform: PlatformId,
    /// New value of `is_active`: true if the address is called.
    pub is_active: Option<bool>,
    /// Reason for the stop, if the platform did not request it; only with `is_active` false.
    pub stopped: Option<StopReason>,
    /// New scopes, at least one: the occasions on which the address is called.
    pub scopes: Option<Vec<Scope>>,
    /// True to sign the calls with a new secret.
    pub rotates_secret: bool,
    /// Sealed box, class profile, of the platform's own user: the new address.
    pub url: Option<Sealed>,
}

impl Decide for Change {
    fn subject(&self) -> Key {
        self.id.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![self.id.into()]
    }

    /// Decides. Equal values change nothing. An address always counts as a change, because the domain cannot read it;
    /// so does a new secret.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let known = states.subscription(self.id).filter(|known| known.platform == self.platform);
        let known = known.ok_or(Refusal::Unknown)?;
        let is_active = self.is_active.filter(|is_active| *is_active != known.is_active);
        let stopped = self.stopped.filter(|_| is_active == Some(false));
        let scopes = self.scopes.clone().filter(|scopes| *scopes != known.scopes);
        let secret_generation = self.rotates_secret.then(|| known.secret_generation().saturating_add(1));
        if is_active.is_none() && scopes.is_none() && secret_generation.is_none() && self.url.is_none() {
            return Ok(vec![]);
        }
        let url = self.url.clone();
        Ok(vec![NewEvent::new(self.id, Changed { is_active, stopped, scopes, secret_generation, url })])
    }

    fn weight(&self) -> usize {
        self.url.as_ref().map_or(0, |sealed| sealed.bytes.len())
    }
}

impl Change {
    /// A command that changes nothing.
    #[must_use]
    pub const fn nothing(id: SubscriptionId, platform: PlatformId) -> Self {
        Self { id, platform, is_active: None, stopped: None, scopes: None, rotates_secret: false, url: None }
    }

    /// A command that makes the subscription inactive because of its receiver's behaviour.
    #[must_use]
    pub fn stop(id: SubscriptionId, platform: PlatformId, reason: StopReason) -> Self {
        Self { is_active: Some(false), stopped: Some(reason), ..Self::nothing(id, platform) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::fixture::{change_subscription, sealed, subscription};
    use crate::testing::{World, given};

    fn with_one() -> World {
        given([subscription(1).into()])
    }

    fn change() -> Change {
        change_subscription(1)
    }

    #[test]
    fn given_values_change_others_stay() {
        let before = with_one().subscription(change().id).cloned().expect("is there");
        let after = |change: Change| {
            let world = with_one().when(change.clone()).accepted();
            world.subscription(change.id).cloned().expect("is there")
        };
        let off = after(Change { is_active: Some(false), ..change() });
        assert_eq!(off, super::super::Subscription { is_active: false, ..before.clone() });
        let scopes = vec![Scope::SubnetPatch, Scope::UsersPost];
        let moved = after(Change { scopes: Some(scopes.clone()), url: Some(sealed(2)), ..change() });
        assert_eq!(moved, super::super::Subscription { scopes, url: Some(sealed(2)), ..before });
    }

    #[test]
    fn stop_reason_stays_until_activity_is_set() {
        let stop = || Change::stop(change().id, change().platform, StopReason::Gone);
        let stopped = |world: &World| world.subscription(change().id).expect("is there").stopped;
        let mut world = with_one().when(stop()).accepted();
        assert_eq!(stopped(&world).map(|stop| stop.reason), Some(StopReason::Gone));
        world = world.when(Change { rotates_secret: true, ..change() }).accepted();
        assert!(stopped(&world).is_some());
        world = world.when(Change { is_active: Some(true), ..change() }).accepted();
        assert_eq!(stopped(&world), None);
        let by_itself =
            given([subscription(1).into()]).when(Change { is_active: Some(false), ..change() }).accepted();
        by_itself.when(stop()).then([]);
    }

    #[test]
    fn secret_rotation_increments_the_generation() {
        let rotate = || Change { rotates_secret: true, ..change() };
        let world = with_one().when(rotate()).accepted().when(rotate()).accepted();
        let known = world.subscription(change().id).expect("is there");
        assert_eq!(known.secret_generation(), 2);
    }

    #[test]
    fn equal_values_change_nothing() {
        with_one().when(change()).then([]);
        let same = Change { is_active: Some(true), scopes: Some(subscription(1).scopes), ..change() };
        with_one().when(same).then([]);
    }

    #[test]
    fn foreign_subscription_is_unknown() {
        let off = || Change { is_active: Some(false), ..change() };
        with_one().when(Change { platform: PlatformId::from_u128(2), ..off() }).refused(Refusal::Unknown);
        with_one().when(Change { id: SubscriptionId::from_u128(404), ..off() }).refused(Refusal::Unknown);
    }
}
