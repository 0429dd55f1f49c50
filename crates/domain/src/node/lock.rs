//! Lock or unlock a node, and set its limits: acts of an operator. Only operations use these functions.

use std::collections::BTreeMap;

use super::Refusal;
use super::create::find;
use super::event::{LimitsSet, Locked, Unlocked};
use crate::actor::Origin;
use crate::aggregate::NewEvent;
use crate::id::{NodeId, PlatformId};
use crate::money::Currency;
use crate::platform::Limits;
use crate::state::States;

/// Locks or unlocks the node. Changes nothing if the node is in that state already.
pub(crate) fn lock(
    states: &impl States,
    platform: PlatformId,
    id: NodeId,
    shall_be: bool,
    origin: Origin,
) -> Result<Vec<NewEvent>, Refusal> {
    Ok(match (find(states, platform, id)?.is_locked, shall_be) {
        (false, true) => vec![NewEvent::new(id, Locked { code: None, origin })],
        (true, false) => vec![NewEvent::new(id, Unlocked { origin })],
        (true, true) | (false, false) => vec![],
    })
}

/// Sets the limits of a held node.
pub(crate) fn set_limits(
    states: &impl States,
    platform: PlatformId,
    id: NodeId,
    limits: &BTreeMap<Currency, Limits>,
    origin: Origin,
) -> Result<Vec<NewEvent>, Refusal> {
    let node = find(states, platform, id)?;
    if !node.kind.is_held() {
        return Err(Refusal::NotHeld);
    }
    Ok(vec![NewEvent::new(id, LimitsSet { limits: limits.clone(), origin })])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::Actor;
    use crate::node::{Allowed, Node};
    use crate::operation::Act;
    use crate::testing::fixture::{ANNS, OLGA, OUTSIDE, PLATFORM, operate};
    use crate::testing::given;

    const ORIGIN: Origin = Origin::of(Actor::Operator(OLGA));

    #[test]
    fn lock_hides_allowed_until_unlock() {
        for (id, before) in [(ANNS, Allowed::CreditAndDebit), (OUTSIDE, Allowed::Credit)] {
            let locked = given([operate(80, Act::LockNode { node: id }).into()]);
            assert_eq!(locked.node(id).map(Node::allowed), Some(Allowed::Locked));
            let unlocked = locked.when(operate(81, Act::UnlockNode { node: id })).accepted();
            assert_eq!(unlocked.node(id).map(Node::allowed), Some(before));
        }
    }

    #[test]
    fn repeated_lock_or_unlock_changes_nothing() {
        let world = given([]);
        assert_eq!(lock(&world, PLATFORM, ANNS, false, ORIGIN), Ok(vec![]));
        let world = given([operate(80, Act::LockNode { node: ANNS }).into()]);
        assert_eq!(lock(&world, PLATFORM, ANNS, true, ORIGIN), Ok(vec![]));
    }

    #[test]
    fn foreign_node_unknown_external_has_no_limits() {
        let (world, foreign) = (given([]), PlatformId::from_u128(2));
        assert_eq!(lock(&world, foreign, ANNS, true, ORIGIN), Err(Refusal::Unknown));
        let none = BTreeMap::new();
        assert_eq!(set_limits(&world, foreign, ANNS, &none, ORIGIN), Err(Refusal::Unknown));
        assert_eq!(set_limits(&world, PLATFORM, OUTSIDE, &none, ORIGIN), Err(Refusal::NotHeld));
    }
}
