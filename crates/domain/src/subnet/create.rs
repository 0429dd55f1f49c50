//! Create a subnet for a node.

use super::event::Created;
use super::{AccountClass, Refusal};
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::{NodeId, PlatformId, SubnetId, UserId};
use crate::sealed::Sealed;
use crate::state::States;
use crate::time::Timestamp;
use crate::{node, platform, user};

/// Command to create a subnet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Create {
    /// Id of the new subnet.
    pub id: SubnetId,
    /// Platform of the caller.
    pub platform: PlatformId,
    /// The calling user, which must own the node.
    pub by: UserId,
    /// The node, which must be active.
    pub node: NodeId,
    /// Class of account as which others see the subnet.
    pub class: AccountClass,
    /// Sealed box, class profile, of the owner: the nickname.
    pub details: Sealed,
}

impl Decide for Create {
    fn subject(&self) -> Key {
        self.id.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![self.id.into(), self.node.into(), self.by.into(), self.platform.into()]
    }

    /// Decides. The same command again changes nothing.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let platform = states.platform(self.platform).ok_or(platform::Refusal::Unknown)?;
        let node = node::create::find(states, self.platform, self.node)?;
        if node.user != self.by || !node.is_active {
            return Err(node::Refusal::Unknown.into());
        }
        if states.subnet(self.id).is_some() {
            return Ok(vec![]);
        }
        if states.user(self.by).is_some_and(|user| user.permitted.is_closed()) {
            return Err(user::Refusal::Closed.into());
        }
        if !node.kind.has_subnets() {
            return Err(Refusal::NodeType.into());
        }
        if !platform.sandbox {
            return Err(Refusal::NoIssuer.into());
        }
        let created = Created {
            platform: self.platform,
            user: self.by,
            node: self.node,
            class: self.class,
            details: Some(self.details.clone()),
        };
        Ok(vec![NewEvent::new(self.id, created)])
    }

    fn platform_of_new(&self) -> Option<PlatformId> {
        Some(self.platform)
    }

    fn weight(&self) -> usize {
        self.details.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Command;
    use crate::node::NodeKind;
    use crate::platform::open::Open;
    use crate::testing::fixture::{
        ANN, ANNS, ASLEEP, BOB, BOBS, PLATFORM, lower, node, open, person, sealed, subnet,
    };
    use crate::testing::{World, given};
    use crate::user::Permission;

    #[test]
    fn new_subnet_allows_credit_and_debit() {
        let new = subnet(1, ANNS);
        let created = Created {
            platform: PLATFORM,
            user: ANN,
            node: ANNS,
            class: AccountClass::Checking,
            details: Some(sealed(1)),
        };
        let world = given([]).when(new.clone()).then([NewEvent::new(new.id, created)]);
        let made = world.subnet(new.id).expect("made");
        assert_eq!((made.node, made.allowed), (ANNS, super::super::Allowed::CreditAndDebit));
        world.when(new).then([]);
    }

    #[test]
    fn only_some_node_types_have_subnets() {
        let with =
            [NodeKind::DepositUs, NodeKind::SubaccountUs, NodeKind::LedgerUs, NodeKind::PartnerSubaccountUs];
        let id = NodeId::from_u128(99);
        for kind in NodeKind::ALL {
            let answer = given([node(id, ANN, kind).into()]).when(Create { by: ANN, ..subnet(1, id) });
            if with.contains(&kind) {
                answer.accepted();
            } else {
                answer.refused(Refusal::NodeType);
            }
        }
    }

    #[test]
    fn foreign_or_inactive_node_is_unknown() {
        let unknown = node::Refusal::Unknown;
        given([]).when(Create { by: BOB, ..subnet(1, ANNS) }).refused(unknown);
        given([]).when(Create { by: ANN, ..subnet(1, BOBS) }).refused(unknown);
        given([]).when(subnet(1, ASLEEP)).refused(unknown);
        given([]).when(subnet(1, NodeId::from_u128(404))).refused(unknown);
        let foreign = PlatformId::from_u128(2);
        let elsewhere = Create { platform: foreign, ..subnet(1, ANNS) };
        given([]).when(elsewhere).refused(platform::Refusal::Unknown);
    }

    #[test]
    fn closed_user_gets_no_subnet() {
        let closed = lower(ANN, Permission::Closed);
        given([closed.into()]).when(subnet(1, ANNS)).refused(user::Refusal::Closed);
    }

    #[test]
    fn production_platform_has_no_number_issuer() {
        let mut world = World::default();
        let made: [Command; 3] = [
            Open { sandbox: false, ..open() }.into(),
            person(ANN, &[]).into(),
            node(ANNS, ANN, NodeKind::DepositUs).into(),
        ];
        for command in made {
            world.submit(&command).expect("is not refused");
        }
        world.when(subnet(1, ANNS)).refused(Refusal::NoIssuer);
    }
}
