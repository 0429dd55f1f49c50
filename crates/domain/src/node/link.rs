//! Link the accounts that a bank showed to its customer: a node for each, all of them in one decision or none.
//!
//! The login at the bank proves that the customer owns the accounts. Money may be pulled from them at once, without
//! micro-deposits.

use super::event::Created;
use super::{Allowed, NodeKind};
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::{NodeId, PlatformId, UserId};
use crate::refusal::Refusal;
use crate::sealed::Sealed;
use crate::state::States;
use crate::time::Timestamp;
use crate::user;

/// Maximum number of accounts of one login that become nodes.
pub const MAX_ACCOUNTS: usize = 16;

/// Command to create a node for each account of a bank login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Id of the first node. It is chosen when the login begins, so that completing the login twice links once.
    pub first: NodeId,
    /// Platform of the owner.
    pub platform: PlatformId,
    /// Owner of the nodes.
    pub user: UserId,
    /// Sealed boxes of class profile, one for each account, at most [`MAX_ACCOUNTS`]: names, numbers, address.
    pub accounts: Vec<Sealed>,
}

/// Ids of the nodes of one login, counting up from `first`.
#[must_use]
pub fn ids(first: NodeId) -> [NodeId; MAX_ACCOUNTS] {
    let mut next = first.as_u128();
    [(); MAX_ACCOUNTS].map(|()| {
        let id = NodeId::from_u128(next);
        next = next.wrapping_add(1);
        id
    })
}

impl Decide for Link {
    fn subject(&self) -> Key {
        self.first.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        let nodes = self.nodes().map(|(id, _)| id.into());
        nodes.chain([self.first.into(), self.user.into()]).collect()
    }

    /// Decides. Changes nothing if the login has nodes already, whatever accounts the bank shows.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, Refusal> {
        let owner = states.user(self.user).filter(|user| user.platform == self.platform);
        let owner = owner.ok_or(user::Refusal::Unknown)?;
        if states.node(self.first).is_some() {
            return Ok(vec![]);
        }
        if owner.permitted.is_closed() {
            return Err(user::Refusal::Closed.into());
        }
        Ok(self.nodes().map(|(id, details)| NewEvent::new(id, self.created(details))).collect())
    }

    fn platform_of_new(&self) -> Option<PlatformId> {
        Some(self.platform)
    }

    /// Returns `None`: the ids are as old as the login, and completing it twice names nodes that exist already.
    fn creates(&self) -> Option<Key> {
        None
    }

    fn weight(&self) -> usize {
        self.accounts.iter().map(|sealed| sealed.bytes.len()).sum()
    }
}

impl Link {
    fn nodes(&self) -> impl Iterator<Item = (NodeId, &Sealed)> {
        ids(self.first).into_iter().zip(&self.accounts)
    }

    fn created(&self, details: &Sealed) -> Created {
        Created {
            platform: self.platform,
            user: self.user,
            kind: NodeKind::AchUs,
            allowed: Allowed::CreditAndDebit,
            is_active: true,
            gateway_restricted: false,
            details: Some(details.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Command;
    use crate::node::{self, Node};
    use crate::testing::fixture::{ANN, PLATFORM, sealed};
    use crate::testing::given;

    const FIRST: NodeId = NodeId::from_u128(0xf0);
    const SECOND: NodeId = NodeId::from_u128(0xf1);

    fn link(accounts: &[u128]) -> Link {
        let accounts = accounts.iter().copied().map(sealed).collect();
        Link { first: FIRST, platform: PLATFORM, user: ANN, accounts }
    }

    fn linked(id: NodeId, details: u128) -> NewEvent {
        let created = Created {
            platform: PLATFORM,
            user: ANN,
            kind: NodeKind::AchUs,
            allowed: Allowed::CreditAndDebit,
            is_active: true,
            gateway_restricted: false,
            details: Some(sealed(details)),
        };
        NewEvent::new(id, created)
    }

    #[test]
    fn every_account_becomes_a_debitable_node() {
        let world = given([]).when(link(&[1, 2])).then([linked(FIRST, 1), linked(SECOND, 2)]);
        for id in [FIRST, SECOND] {
            assert_eq!(world.node(id).map(Node::allowed), Some(Allowed::CreditAndDebit));
        }
    }

    #[test]
    fn login_completed_twice_links_once() {
        let world = given([]).when(link(&[1, 2])).accepted();
        // Sealed again, in another order, and with one more account: it is the same login.
        world.clone().when(link(&[3, 4])).then([]);
        world.when(link(&[2, 1, 5])).then([]);
    }

    #[test]
    fn another_login_links_the_same_accounts_again() {
        let another = Link { first: NodeId::from_u128(0xe0), ..link(&[3]) };
        given([link(&[1]).into()]).when(another).then([linked(NodeId::from_u128(0xe0), 3)]);
    }

    #[test]
    fn login_without_accounts_makes_no_node() {
        given([]).when(link(&[])).then([]);
    }

    #[test]
    fn linked_node_needs_no_micro_deposits() {
        let world = given([link(&[1]).into()]);
        let tell =
            node::verify::VerifyMicroDeposits { node: FIRST, platform: PLATFORM, by: ANN, amounts: [10, 10] };
        let reason = node::Inapplicable::NotCredit;
        world.when(tell).then([NewEvent::new(FIRST, node::MicroDepositsInapplicable { reason })]);
    }

    #[test]
    fn unknown_owner_is_refused() {
        let unknown = user::Refusal::Unknown;
        given([]).when(Link { user: UserId::from_u128(404), ..link(&[1]) }).refused(unknown);
        given([]).when(Link { platform: PlatformId::from_u128(2), ..link(&[1]) }).refused(unknown);
    }

    #[test]
    fn writer_checks_whether_linked_nodes_exist() {
        // The ids are as old as the login: unlike the ids of other new nodes, they may be in use.
        let command = Command::from(link(&[1, 2]));
        assert_eq!(command.creates(), None);
        assert!([FIRST, SECOND].iter().all(|id| command.needs(&given([])).contains(&(*id).into())));
        assert_eq!(command.platform(&given([])), Some(PLATFORM));
    }

    #[test]
    fn ids_count_up_from_the_first() {
        let ids = ids(FIRST);
        assert_eq!((ids[0], ids[1], ids[15]), (FIRST, SECOND, NodeId::from_u128(0xff)));
    }
}
