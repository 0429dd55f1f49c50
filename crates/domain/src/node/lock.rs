//! Lock and unlock a node, and set its limits: what an operator does about it. Used inside operations only.

use std::collections::BTreeMap;

use super::Refusal;
use super::create::find;
use super::event::{LimitsSet, Locked, Unlocked};
use crate::actor::Origin;
use crate::aggregate::Fact;
use crate::id::{NodeId, PlatformId};
use crate::money::Currency;
use crate::platform::Limits;
use crate::state::States;

/// Locks or unlocks; what is so already changes nothing.
pub(crate) fn lock(
    states: &impl States,
    platform: PlatformId,
    id: NodeId,
    shall_be: bool,
    origin: Origin,
) -> Result<Vec<Fact>, Refusal> {
    Ok(match (find(states, platform, id)?.is_locked, shall_be) {
        (false, true) => vec![Fact::new(id, Locked { origin })],
        (true, false) => vec![Fact::new(id, Unlocked { origin })],
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
) -> Result<Vec<Fact>, Refusal> {
    let node = find(states, platform, id)?;
    if !node.kind.is_held() {
        return Err(Refusal::NotHeld);
    }
    Ok(vec![Fact::new(id, LimitsSet { limits: limits.clone(), origin })])
}
