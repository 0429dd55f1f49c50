//! Lock and unlock a user: what an operator does about it. Used inside operations only.

use super::event::{Locked, Unlocked};
use super::{Refusal, User};
use crate::actor::Origin;
use crate::aggregate::Fact;
use crate::id::{PlatformId, UserId};
use crate::state::States;

/// Locks or unlocks; what is so already changes nothing.
pub(crate) fn lock(
    states: &impl States,
    platform: PlatformId,
    id: UserId,
    shall_be: bool,
    origin: Origin,
) -> Result<Vec<Fact>, Refusal> {
    let user: &User = states.user(id).filter(|user| user.platform == platform).ok_or(Refusal::Unknown)?;
    Ok(match (user.is_locked, shall_be) {
        (false, true) => vec![Fact::new(id, Locked { origin })],
        (true, false) => vec![Fact::new(id, Unlocked { origin })],
        (true, true) | (false, false) => vec![],
    })
}
