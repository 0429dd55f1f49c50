//! Create a node for a user.

use super::event::Created;
use super::{Node, NodeKind};
use crate::aggregate::{Fact, Key};
use crate::command::Refusal;
use crate::id::{NodeId, PlatformId, UserId};
use crate::sealed::Sealed;
use crate::state::States;
use crate::user;

/// Asks for a new node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Create {
    /// The id that it shall have.
    pub id: NodeId,
    /// The platform of its owner.
    pub platform: PlatformId,
    /// Its owner.
    pub user: UserId,
    /// Its type.
    pub kind: NodeKind,
    /// In the lists, or only to be fetched by its id.
    pub is_active: bool,
    /// Debited only by calls that also carry the platform's own credentials.
    pub gateway_restricted: bool,
    /// Box, class profile: nickname, numbers, names and addresses.
    pub details: Sealed,
}

impl Create {
    /// The states that the decision looks at.
    #[must_use]
    pub fn needs(&self) -> Vec<Key> {
        vec![self.id.into(), self.user.into()]
    }

    /// Decides. The same command again changes nothing.
    pub fn decide(&self, states: &impl States) -> Result<Vec<Fact>, Refusal> {
        let owner = states.user(self.user).filter(|user| user.platform == self.platform);
        owner.ok_or(user::Refusal::Unknown)?;
        if states.node(self.id).is_some() {
            return Ok(vec![]);
        }
        Ok(vec![Fact::new(self.id, self.created())])
    }

    /// The event, for a caller that has looked at everything.
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

/// The node with this id, if it is one of `platform`'s.
pub(crate) fn find(states: &impl States, platform: PlatformId, id: NodeId) -> Result<&Node, super::Refusal> {
    states.node(id).filter(|node| node.platform == platform).ok_or(super::Refusal::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::Allowed;
    use crate::testing::fixture::{ANN, ANNS, DAN, PLATFORM, node, sealed};
    use crate::testing::given;

    const NEW: NodeId = NodeId::from_u128(99);

    #[test]
    fn a_node_allows_at_first_what_its_type_allows() {
        let table = [
            (NodeKind::DepositUs, Allowed::CreditAndDebit),
            (NodeKind::SubaccountUs, Allowed::CreditAndDebit),
            (NodeKind::ClearingUs, Allowed::CreditAndDebit),
            (NodeKind::LedgerUs, Allowed::CreditAndDebit),
            (NodeKind::ReserveUs, Allowed::Credit),
            (NodeKind::AchUs, Allowed::Credit),
            (NodeKind::WireUs, Allowed::Credit),
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
            given([]).when(node(NEW, ANN, kind)).then([Fact::new(NEW, created)]);
        }
    }

    #[test]
    fn who_is_not_verified_may_have_a_node() {
        given([]).when(node(NEW, DAN, NodeKind::DepositUs)).accepted();
    }

    #[test]
    fn the_same_node_again_changes_nothing() {
        given([]).when(node(ANNS, ANN, NodeKind::LedgerUs)).then([]);
    }

    #[test]
    fn an_unknown_owner_is_refused() {
        let unknown = user::Refusal::Unknown;
        given([]).when(node(NEW, UserId::from_u128(404), NodeKind::DepositUs)).refused(unknown);
        let foreign = Create { platform: PlatformId::from_u128(2), ..node(NEW, ANN, NodeKind::DepositUs) };
        given([]).when(foreign).refused(unknown);
    }
}
