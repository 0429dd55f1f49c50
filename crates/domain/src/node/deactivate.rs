//! Deactivate a node: its owner deletes it. The node leaves the lists, and no new transaction may name it. Transactions
//! under way continue. Money on the node stays there; an operator's journal entry can move it.

use super::Refusal;
use super::create::find_own;
use super::event::Deactivated;
use crate::actor::{Actor, Origin};
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::{NodeId, PlatformId, UserId};
use crate::state::States;
use crate::time::Timestamp;

/// Command to deactivate a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deactivate {
    /// The node.
    pub node: NodeId,
    /// Platform of the caller.
    pub platform: PlatformId,
    /// The calling user, which must own the node.
    pub by: UserId,
}

impl Decide for Deactivate {
    fn subject(&self) -> Key {
        self.node.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![self.node.into(), self.platform.into()]
    }

    /// Decides. Changes nothing if the node is inactive already.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let node = find_own(states, self.platform, self.node, self.by)?;
        let reserve = states.platform(self.platform).map(|platform| platform.reserve);
        if reserve == Some(self.node) {
            return Err(Refusal::Reserve.into());
        }
        let deactivated = Deactivated { origin: Origin::of(Actor::User(self.by)) };
        Ok(if node.is_active { vec![NewEvent::new(self.node, deactivated)] } else { vec![] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::money::Currency;
    use crate::node::{Allowed, Node, NodeKind};
    use crate::state::States;
    use crate::testing::World;
    use crate::testing::fixture::{
        ANN, ANNS, ASLEEP, BOB, BOBS, FEES, OWNER, PLATFORM, RESERVE, bounce, credit, debit, fee, fund,
        income, pay, payment, settle, transaction, withdrawal,
    };
    use crate::testing::given;
    use crate::transaction::create::Create;
    use crate::transaction::{self, Status};

    fn gone(node: NodeId, by: UserId) -> Deactivate {
        Deactivate { node, platform: PLATFORM, by }
    }

    fn posted(world: &World, node: NodeId) -> i64 {
        world.account(node, Currency::USD).posted
    }

    #[test]
    fn node_is_deactivated_once() {
        let fact = NewEvent::new(ANNS, Deactivated { origin: Origin::of(Actor::User(ANN)) });
        let world = given([]).when(gone(ANNS, ANN)).then([fact]);
        assert!(world.node(ANNS).is_some_and(|node| !node.is_active));
        assert_eq!(world.node(ANNS).map(Node::allowed), Some(Allowed::Inactive));
        world.when(gone(ANNS, ANN)).then([]);
        given([]).when(gone(ASLEEP, BOB)).then([]);
    }

    #[test]
    fn only_owner_deactivates_and_reserve_stays() {
        given([]).when(gone(ANNS, BOB)).refused(Refusal::Unknown);
        let foreign = Deactivate { platform: PlatformId::from_u128(2), ..gone(ANNS, ANN) };
        given([]).when(foreign).refused(Refusal::Unknown);
        given([]).when(gone(RESERVE, OWNER)).refused(Refusal::Reserve);
    }

    #[test]
    fn deactivated_node_gets_no_new_transaction() {
        let world = given([fund(ANNS, 100), gone(ANNS, ANN).into(), gone(FEES, OWNER).into()]);
        let world = world.when(payment(1, 10)).refused(Refusal::Unknown);
        let from_bob = Create { by: BOB, from: BOBS, to: ANNS, ..payment(1, 10) };
        let world = world.when(from_bob).refused(transaction::Refusal::UnknownReceiver);
        let world = world.when(income(ANNS, 10)).refused(Refusal::Unknown);
        let world = world.when(withdrawal(ANNS, 10)).refused(Refusal::Unknown);
        let fees = vec![fee(FEES, 1)];
        let house = crate::testing::fixture::HOUSE;
        let with_fee = Create { by: BOB, from: BOBS, to: house, fees, ..payment(1, 10) };
        let world = world.when(with_fee).refused(transaction::Refusal::UnknownFeeNode(0));
        assert_eq!(posted(&world, ANNS), 100);
        assert_eq!(world.node(FEES).map(|node| node.kind), Some(NodeKind::LedgerUs));
    }

    #[test]
    fn running_transactions_of_deactivated_node_continue() {
        for (node, by) in [(ANNS, ANN), (BOBS, BOB)] {
            let before = [fund(ANNS, 100), pay(1, 60), gone(node, by).into()];
            let steps = [debit(1), credit(1), settle(1)];
            let world = given(before.into_iter().chain(steps));
            assert_eq!(world.transaction(transaction(1)).map(|it| it.status), Some(Status::Settled));
            assert_eq!((posted(&world, ANNS), posted(&world, BOBS)), (40, 60));
            let world = world.when(bounce(1, "R01")).accepted();
            assert_eq!((posted(&world, ANNS), posted(&world, BOBS)), (100, 0));
        }
    }
}
