//! Permit: sets the permission of a user, whatever its documents say. A closed user stays closed.

use super::event::PermissionSet;
use super::{Permission, Refusal, find};
use crate::actor::Origin;
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::{PlatformId, UserId};
use crate::state::States;
use crate::time::Timestamp;

/// Command to set a user's permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permit {
    /// The user.
    pub user: UserId,
    /// Platform of the user.
    pub platform: PlatformId,
    /// The new permission.
    pub permission: Permission,
    /// Origin of the request.
    pub origin: Origin,
}

impl Decide for Permit {
    fn subject(&self) -> Key {
        self.user.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![self.user.into()]
    }

    /// Decides. Changes nothing if the user has this permission already.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let user = find(states, self.platform, self.user)?;
        if user.permitted == self.permission {
            return Ok(vec![]);
        }
        if user.permitted.is_closed() {
            return Err(Refusal::Closed.into());
        }
        if states.platform(self.platform).is_some_and(|platform| platform.user == self.user) {
            return Err(Refusal::OwnUser.into());
        }
        let set = PermissionSet { permission: self.permission, origin: self.origin };
        Ok(vec![NewEvent::new(self.user, set)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::fixture::{ANN, DAN, OWNER, lower, permit};
    use crate::testing::given;

    #[test]
    fn permission_is_set_once() {
        let raised = PermissionSet { permission: Permission::Receive, origin: Origin::simulated() };
        let world = given([]).when(permit(DAN, Permission::Receive)).then([NewEvent::new(DAN, raised)]);
        assert_eq!(world.user(DAN).map(super::super::User::permission), Some(Permission::Receive));
        world.when(permit(DAN, Permission::Receive)).then([]);
    }

    #[test]
    fn own_user_keeps_its_permission() {
        given([]).when(permit(OWNER, Permission::Unverified)).refused(Refusal::OwnUser);
    }

    #[test]
    fn closed_user_gets_no_permission() {
        let world = given([lower(ANN, Permission::Closed).into()]);
        world.when(permit(ANN, Permission::Receive)).refused(Refusal::Closed);
    }

    #[test]
    fn unknown_or_foreign_user_is_refused() {
        let foreign = Permit { platform: PlatformId::from_u128(2), ..permit(ANN, Permission::Receive) };
        given([]).when(foreign).refused(Refusal::Unknown);
        given([]).when(permit(UserId::from_u128(404), Permission::Receive)).refused(Refusal::Unknown);
    }
}
