//! Lock and unlock a user: what an operator does about it. Used inside operations only.

use super::event::{Locked, Unlocked};
use super::{Refusal, find};
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
    let user = find(states, platform, id)?;
    Ok(match (user.is_locked, shall_be) {
        (false, true) => vec![Fact::new(id, Locked { origin })],
        (true, false) => vec![Fact::new(id, Unlocked { origin })],
        (true, true) | (false, false) => vec![],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::Actor;
    use crate::operation::Act;
    use crate::testing::fixture::{ANN, OLGA, PLATFORM, operate};
    use crate::testing::given;

    const ORIGIN: Origin = Origin::of(Actor::Operator(OLGA));

    #[test]
    fn a_user_is_locked_and_unlocked_once() {
        let world = given([]);
        assert_eq!(lock(&world, PLATFORM, ANN, false, ORIGIN), Ok(vec![]));
        let locked = Fact::new(ANN, Locked { origin: ORIGIN });
        assert_eq!(lock(&world, PLATFORM, ANN, true, ORIGIN), Ok(vec![locked]));
        let world = given([operate(80, Act::LockUser { user: ANN }).into()]);
        assert_eq!(lock(&world, PLATFORM, ANN, true, ORIGIN), Ok(vec![]));
        let unlocked = Fact::new(ANN, Unlocked { origin: ORIGIN });
        assert_eq!(lock(&world, PLATFORM, ANN, false, ORIGIN), Ok(vec![unlocked]));
    }

    #[test]
    fn a_user_of_another_platform_is_unknown() {
        let foreign = PlatformId::from_u128(2);
        assert_eq!(lock(&given([]), foreign, ANN, true, ORIGIN), Err(Refusal::Unknown));
    }
}
