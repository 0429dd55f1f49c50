//! Returned: the consequence for an external bank account if a bank returns an entry to or from it. The data file of
//! the return codes defines it (`crates/domain/src/calendar/return_codes.txt`). Only returns use this function.

use super::event::{AuthorizationEnded, Locked};
use crate::actor::Origin;
use crate::aggregate::NewEvent;
use crate::calendar::{Consequence, ReturnCode};
use crate::id::NodeId;
use crate::state::States;
use crate::transaction::Direction;

/// The event that follows for the node `id` from the return of its entry. `None` if the code concerns that entry alone,
/// or if the node is in that state already. Only a pull needs an authorization.
pub(crate) fn follows(
    states: &impl States,
    id: NodeId,
    leg: Direction,
    code: ReturnCode,
    origin: Origin,
) -> Option<NewEvent> {
    let node = states.node(id)?;
    match code.consequence() {
        Consequence::Lock if !node.is_locked => Some(NewEvent::new(id, Locked { code: Some(code), origin })),
        Consequence::Credit if leg == Direction::Pull && node.permitted.debit() => {
            Some(NewEvent::new(id, AuthorizationEnded { code, origin }))
        }
        Consequence::Lock | Consequence::Credit | Consequence::Again | Consequence::Item => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::Actor;
    use crate::node::micro_deposits::MicroDeposits;
    use crate::node::resend::ResendMicroDeposits;
    use crate::node::verify::VerifyMicroDeposits;
    use crate::node::{Allowed, Node};
    use crate::operation::Act;
    use crate::testing::fixture::{
        ANNS, BOBS_BANK, PLATFORM, PULLED, RESERVE, between, bounce, fund, operate, owner, transaction, way,
    };
    use crate::testing::{World, given};
    use crate::transaction::{Status, returns::ReturnTransaction};

    /// A world with a settled payment of 60; before it, 100 were on Ann's node and 100 on the reserve.
    fn settled(from: NodeId, to: NodeId) -> World {
        let before = [fund(ANNS, 100), fund(RESERVE, 100)];
        given(before.into_iter().chain(way(&between(1, from, to, 60))))
    }

    fn allowed(world: &World, node: NodeId) -> Option<Allowed> {
        world.node(node).map(Node::allowed)
    }

    #[test]
    fn codes_determine_consequence_for_the_node() {
        for code in ReturnCode::all() {
            let after = |from, to, node| {
                let world = settled(from, to);
                let before = allowed(&world, node);
                let world = world.when(bounce(1, &code.to_string())).accepted();
                (before, allowed(&world, node))
            };
            let (before, pulled) = after(PULLED, ANNS, PULLED);
            assert_eq!(before, Some(Allowed::CreditAndDebit));
            let (before, pushed) = after(ANNS, BOBS_BANK, BOBS_BANK);
            let expected = match code.to_string().as_str() {
                "R02" | "R03" | "R04" | "R16" | "R20" => (Some(Allowed::Locked), Some(Allowed::Locked)),
                "R05" | "R07" | "R10" | "R29" => (Some(Allowed::Credit), before),
                _ => (Some(Allowed::CreditAndDebit), before),
            };
            assert_eq!((pulled, pushed), expected, "{code}");
        }
    }

    #[test]
    fn return_locks_a_node_once() {
        let (code, origin) = ("R02".parse().expect("known"), Origin::of(Actor::Bank));
        let facts = settled(PULLED, ANNS).submit(&bounce(1, "R02").into()).expect("comes back");
        let locked = NewEvent::new(PULLED, Locked { code: Some(code), origin });
        assert_eq!(facts.last(), Some(&locked));
        let world = settled(PULLED, ANNS).when(operate(80, Act::LockNode { node: PULLED })).accepted();
        let mut world = world;
        let facts = world.submit(&bounce(1, "R02").into()).expect("comes back");
        assert!(!facts.contains(&locked), "{facts:?}");
    }

    #[test]
    fn pulls_wait_for_new_micro_deposits() {
        let pull = |number| between(number, PULLED, ANNS, 5);
        let by = owner(PULLED);
        let world = settled(PULLED, ANNS).when(bounce(1, "R10")).accepted();
        let world = world.when(pull(2)).accepted();
        assert_eq!(world.transaction(transaction(2)).map(|it| it.status), Some(Status::Canceled));
        let micro_deposits = MicroDeposits { amounts: [7, 12], transactions: [31, 32].map(transaction) };
        let again = ResendMicroDeposits { node: PULLED, platform: PLATFORM, by, micro_deposits };
        let tell = VerifyMicroDeposits { node: PULLED, platform: PLATFORM, by, amounts: [12, 7] };
        let world = world.when(again).accepted().when(tell).accepted().when(pull(3)).accepted();
        assert_eq!(world.transaction(transaction(3)).map(|it| it.status), Some(Status::Created));
    }

    #[test]
    fn unlock_removes_the_lock_of_a_return() {
        let world = settled(PULLED, ANNS).when(bounce(1, "R16")).accepted();
        assert_eq!(world.node(PULLED).map(|node| node.locked_for), Some("R16".parse().ok()));
        let world = world.when(operate(80, Act::UnlockNode { node: PULLED })).accepted();
        assert_eq!(world.node(PULLED).map(|node| node.locked_for), Some(None));
        assert_eq!(allowed(&world, PULLED), Some(Allowed::CreditAndDebit));
    }

    #[test]
    fn each_leg_concerns_its_own_node() {
        for (leg, node, other) in [(Direction::Pull, PULLED, BOBS_BANK), (Direction::Push, BOBS_BANK, PULLED)]
        {
            let back = ReturnTransaction { leg: Some(leg), ..bounce(1, "R03") };
            let world = settled(PULLED, BOBS_BANK).when(back).accepted();
            assert_eq!(allowed(&world, node), Some(Allowed::Locked), "{leg:?}");
            assert_ne!(allowed(&world, other), Some(Allowed::Locked), "{leg:?}");
        }
    }
}
