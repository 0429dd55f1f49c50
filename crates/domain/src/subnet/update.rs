//! Update a subnet: its nickname, and the directions that it permits.

use super::event::Updated;
use super::{Allowed, Refusal, Subnet};
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::{NodeId, PlatformId, SubnetId, UserId};
use crate::sealed::Sealed;
use crate::state::States;
use crate::time::Timestamp;
use crate::user::erase::check_sealable;

/// Command to change a subnet. A value that is `None` stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// The subnet.
    pub id: SubnetId,
    /// Platform of the caller.
    pub platform: PlatformId,
    /// The calling user, which must own the subnet's node.
    pub by: UserId,
    /// The node in the path of the call.
    pub node: NodeId,
    /// New directions in which money may move.
    pub allowed: Option<Allowed>,
    /// Sealed box, class profile, of the owner: the new nickname.
    pub details: Option<Sealed>,
}

impl Decide for Update {
    fn subject(&self) -> Key {
        self.id.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![self.id.into(), self.by.into()]
    }

    /// Decides. Equal values change nothing. A nickname always counts as a change, because the domain cannot read it.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let is_it = |subnet: &&Subnet| {
            (subnet.platform, subnet.user, subnet.node) == (self.platform, self.by, self.node)
        };
        let subnet = states.subnet(self.id).filter(is_it).ok_or(Refusal::Unknown)?;
        check_sealable(states, subnet.user)?;
        let allowed = self.allowed.filter(|allowed| *allowed != subnet.allowed);
        if allowed.is_none() && self.details.is_none() {
            return Ok(vec![]);
        }
        Ok(vec![NewEvent::new(self.id, Updated { allowed, details: self.details.clone() })])
    }

    fn weight(&self) -> usize {
        self.details.as_ref().map_or(0, |sealed| sealed.bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::fixture::{ANNS, BOB, BOBS, GATED, change_subnet, sealed, subnet};
    use crate::testing::{World, given};

    fn with_one() -> World {
        given([subnet(1, ANNS).into()])
    }

    fn update() -> Update {
        change_subnet(1, ANNS)
    }

    #[test]
    fn given_values_change_others_stay() {
        for allowed in Allowed::ALL {
            let locked = with_one().when(Update { allowed: Some(allowed), ..update() }).accepted();
            let renamed = locked.when(Update { details: Some(sealed(2)), ..update() }).accepted();
            let subnet = renamed.subnet(update().id).expect("is there");
            assert_eq!((subnet.allowed, subnet.details.clone()), (allowed, Some(sealed(2))));
        }
        let named = with_one().when(Update { allowed: Some(Allowed::Locked), ..update() }).accepted();
        let subnet = named.subnet(update().id).expect("is there");
        assert_eq!(subnet.details, Some(sealed(1)));
    }

    #[test]
    fn equal_values_change_nothing() {
        with_one().when(update()).then([]);
        with_one().when(Update { allowed: Some(Allowed::CreditAndDebit), ..update() }).then([]);
    }

    #[test]
    fn subnet_is_unknown_by_another_path() {
        let ways = [
            Update { by: BOB, ..update() },
            Update { node: BOBS, ..update() },
            Update { by: BOB, node: BOBS, ..update() },
            Update { node: GATED, ..update() },
            Update { platform: PlatformId::from_u128(2), ..update() },
            Update { id: SubnetId::from_u128(404), ..update() },
        ];
        for update in ways {
            with_one().when(update).refused(Refusal::Unknown);
        }
    }
}
