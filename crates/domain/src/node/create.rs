//! Create a node for a user.

use super::event::Created;
use super::micro_deposits::{MicroDeposits, Receiver};
use super::{Node, NodeKind};
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::{NodeId, PlatformId, UserId};
use crate::refusal::Refusal;
use crate::sealed::Sealed;
use crate::state::States;
use crate::time::Timestamp;
use crate::user::{self, Permission};

/// Command to create a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Create {
    /// Id of the new node.
    pub id: NodeId,
    /// Platform of the owner.
    pub platform: PlatformId,
    /// Owner of the node.
    pub user: UserId,
    /// Type of the node.
    pub kind: NodeKind,
    /// True if lists show the node. An inactive node can only be fetched by its id.
    pub is_active: bool,
    /// True if a call that debits the node must also carry the platform's own credentials.
    pub gateway_restricted: bool,
    /// Micro-deposits whose amounts the owner must report, if any are sent.
    pub micro_deposits: Option<MicroDeposits>,
    /// Sealed box, class profile: nickname, numbers, names and addresses.
    pub details: Sealed,
}

impl Decide for Create {
    fn subject(&self) -> Key {
        self.id.into()
    }

    fn needs(&self, states: &impl States) -> Vec<Key> {
        let micro = self.micro_deposits.iter().flat_map(|micro| micro.needs(states, self.platform));
        micro.chain([self.id.into(), self.user.into()]).collect()
    }

    /// Decides. The same command again changes nothing.
    fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<NewEvent>, Refusal> {
        let owner = states.user(self.user).filter(|user| user.platform == self.platform);
        let owner = owner.ok_or(user::Refusal::Unknown)?;
        if states.node(self.id).is_some() {
            return Ok(vec![]);
        }
        if owner.permitted.is_closed() {
            return Err(user::Refusal::Closed.into());
        }
        // Micro-deposits to an ACH node cost the reserve money.
        if self.kind == NodeKind::AchUs {
            check_owner(states, self.user)?;
        }
        let receiver = Receiver { platform: self.platform, node: self.id, owner: self.user, kind: self.kind };
        let micro = self.micro_deposits.iter().flat_map(|micro| micro.facts(receiver, states, at));
        Ok(std::iter::once(NewEvent::new(self.id, self.created())).chain(micro).collect())
    }

    fn platform_of_new(&self) -> Option<PlatformId> {
        Some(self.platform)
    }

    fn weight(&self) -> usize {
        self.details.bytes.len()
    }
}

impl Create {
    /// The event, for a caller that has checked the rules.
    pub(crate) fn created(&self) -> Created {
        Created {
            platform: self.platform,
            user: self.user,
            kind: self.kind,
            allowed: self.kind.default_allowed(),
            is_active: self.is_active,
            gateway_restricted: self.gateway_restricted,
            details: Some(self.details.clone()),
        }
    }
}

/// The node `id`, if it belongs to `platform`.
pub(crate) fn find(states: &impl States, platform: PlatformId, id: NodeId) -> Result<&Node, super::Refusal> {
    states.node(id).filter(|node| node.platform == platform).ok_or(super::Refusal::Unknown)
}

/// The node `id`, if it belongs to `platform` and is active, so that new transactions may name it.
pub(crate) fn find_active(
    states: &impl States,
    platform: PlatformId,
    id: NodeId,
) -> Result<&Node, super::Refusal> {
    find(states, platform, id)
        .and_then(|node| if node.is_active { Ok(node) } else { Err(super::Refusal::Unknown) })
}

/// The node `id`, if the user `by` owns it.
pub(crate) fn find_own(
    states: &impl States,
    platform: PlatformId,
    id: NodeId,
    by: UserId,
) -> Result<&Node, super::Refusal> {
    find(states, platform, id)
        .and_then(|node| if node.user == by { Ok(node) } else { Err(super::Refusal::Unknown) })
}

/// Refuses the verification of a bank account if its owner is closed for good, or locked.
pub(crate) fn check_owner(states: &impl States, owner: UserId) -> Result<(), user::Refusal> {
    let owner = states.user(owner).ok_or(user::Refusal::Unknown)?;
    if owner.permitted.is_closed() {
        return Err(user::Refusal::Closed);
    }
    if owner.permission() == Permission::Locked { Err(user::Refusal::Locked) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::Allowed;
    use crate::testing::fixture::{ANN, ANNS, DAN, PLATFORM, lower, node, sealed, withheld};
    use crate::testing::given;

    const NEW: NodeId = NodeId::from_u128(99);

    #[test]
    fn new_node_allows_its_type_default() {
        let table = [
            (NodeKind::DepositUs, Allowed::CreditAndDebit),
            (NodeKind::SubaccountUs, Allowed::CreditAndDebit),
            (NodeKind::ClearingUs, Allowed::CreditAndDebit),
            (NodeKind::LedgerUs, Allowed::CreditAndDebit),
            (NodeKind::PartnerSubaccountUs, Allowed::CreditAndDebit),
            (NodeKind::ReserveUs, Allowed::Credit),
            (NodeKind::AchUs, Allowed::Credit),
            (NodeKind::WireUs, Allowed::Credit),
            (NodeKind::WireInt, Allowed::Credit),
            (NodeKind::CheckUs, Allowed::Credit),
        ];
        assert_eq!(table.len(), NodeKind::ALL.len());
        for (kind, allowed) in table {
            let created = Created {
                platform: PLATFORM,
                user: ANN,
                kind,
                allowed,
                is_active: true,
                gateway_restricted: false,
                details: Some(sealed(99)),
            };
            given([]).when(node(NEW, ANN, kind)).then([NewEvent::new(NEW, created)]);
        }
    }

    #[test]
    fn unverified_user_may_have_a_node() {
        given([]).when(node(NEW, DAN, NodeKind::DepositUs)).accepted();
    }

    #[test]
    fn repeated_creation_changes_nothing() {
        given([]).when(node(ANNS, ANN, NodeKind::LedgerUs)).then([]);
    }

    #[test]
    fn closed_user_gets_no_node() {
        let closed = given([lower(ANN, user::Permission::Closed).into()]);
        closed.when(node(NEW, ANN, NodeKind::DepositUs)).refused(user::Refusal::Closed);
    }

    #[test]
    fn locked_user_gets_no_ach_node() {
        for (withheld, refusal) in withheld(ANN) {
            let world = given([withheld]).when(node(NEW, ANN, NodeKind::AchUs)).refused(refusal);
            if refusal == user::Refusal::Locked {
                world.when(node(NEW, ANN, NodeKind::DepositUs)).accepted();
            }
        }
    }

    #[test]
    fn unknown_owner_is_refused() {
        let unknown = user::Refusal::Unknown;
        given([]).when(node(NEW, UserId::from_u128(404), NodeKind::DepositUs)).refused(unknown);
        let foreign = Create { platform: PlatformId::from_u128(2), ..node(NEW, ANN, NodeKind::DepositUs) };
        given([]).when(foreign).refused(unknown);
    }
}
