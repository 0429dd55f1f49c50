//! Change a subscription: where it is called, when, and whether at all.

use super::event::Changed;
use super::{Refusal, Scope, StopReason};
use crate::aggregate::{Fact, Key};
use crate::decide::Decide;
use crate::id::{PlatformId, SubscriptionId};
use crate::sealed::Sealed;
use crate::state::States;
use crate::time::Timestamp;

/// Asks for a change; what is not said stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The subscription.
    pub id: SubscriptionId,
    /// The platform of the caller.
    pub platform: PlatformId,
    /// Whether it shall be called.
    pub is_active: Option<bool>,
    /// Why it shall not be called any more, where its platform did not ask for that; only with `is_active` false.
    pub stopped: Option<StopReason>,
    /// When it shall be called; at least one.
    pub scopes: Option<Vec<Scope>>,
    /// Whether its calls shall be signed with a new secret.
    pub rotates_secret: bool,
    /// Box, class profile of the platform's own user: the address.
    pub url: Option<Sealed>,
}

impl Decide for Change {
    fn subject(&self) -> Key {
        self.id.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![self.id.into()]
    }

    /// Decides. What is so already changes nothing; an address is always new, for nobody here can read it, and so is a
    /// secret.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<Fact>, crate::Refusal> {
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
        Ok(vec![Fact::new(self.id, Changed { is_active, stopped, scopes, secret_generation, url })])
    }

    fn weight(&self) -> usize {
        self.url.as_ref().map_or(0, |sealed| sealed.bytes.len())
    }
}

impl Change {
    /// Changes nothing yet.
    #[must_use]
    pub const fn nothing(id: SubscriptionId, platform: PlatformId) -> Self {
        Self { id, platform, is_active: None, stopped: None, scopes: None, rotates_secret: false, url: None }
    }

    /// Sets it inactive because of what its receiver did.
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
    fn what_is_said_changes_and_the_rest_stays() {
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
    fn it_is_told_why_it_was_stopped_until_somebody_else_says_whether_it_is_called() {
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
    fn every_change_of_the_secret_is_a_new_one() {
        let rotate = || Change { rotates_secret: true, ..change() };
        let world = with_one().when(rotate()).accepted().when(rotate()).accepted();
        let known = world.subscription(change().id).expect("is there");
        assert_eq!(known.secret_generation(), 2);
    }

    #[test]
    fn what_is_so_already_changes_nothing() {
        with_one().when(change()).then([]);
        let same = Change { is_active: Some(true), scopes: Some(subscription(1).scopes), ..change() };
        with_one().when(same).then([]);
    }

    #[test]
    fn anothers_is_unknown() {
        let off = || Change { is_active: Some(false), ..change() };
        with_one().when(Change { platform: PlatformId::from_u128(2), ..off() }).refused(Refusal::Unknown);
        with_one().when(Change { id: SubscriptionId::from_u128(404), ..off() }).refused(Refusal::Unknown);
    }
}
