//! Lock and unlock a user: acts of an operator. Only operations use this function.

use super::event::{Locked, Unlocked};
use super::{Refusal, find};
use crate::actor::Origin;
use crate::aggregate::NewEvent;
use crate::id::{PlatformId, UserId};
use crate::state::States;

/// Locks or unlocks the user. Changes nothing if the user is in that state already.
pub(crate) fn lock(
    states: &impl States,
    platform: PlatformId,
    id: UserId,
    shall_be: bool,
    origin: Origin,
) -> Result<Vec<NewEvent>, Refusal> {
    let user = find(states, platform, id)?;
    Ok(match (user.is_locked, shall_be) {
        (false, true) => vec![NewEvent::new(id, Locked { origin })],
        (true, false) => vec![NewEvent::new(id, Unlocked { origin })],
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
    fn user_is_locked_and_unlocked_once() {
        let world = given([]);
        assert_eq!(lock(&world, PLATFORM, ANN, false, ORIGIN), Ok(vec![]));
        let locked = NewEvent::new(ANN, Locked { origin: ORIGIN });
        assert_eq!(lock(&world, PLATFORM, ANN, true, ORIGIN), Ok(vec![locked]));
        let world = given([operate(80, Act::LockUser { user: ANN }).into()]);
        assert_eq!(lock(&world, PLATFORM, ANN, true, ORIGIN), Ok(vec![]));
        let unlocked = NewEvent::new(ANN, Unlocked { origin: ORIGIN });
        assert_eq!(lock(&world, PLATFORM, ANN, false, ORIGIN), Ok(vec![unlocked]));
    }

    #[test]
    fn foreign_user_is_unknown() {
        let foreign = PlatformId::from_u128(2);
        assert_eq!(lock(&given([]), foreign, ANN, true, ORIGIN), Err(Refusal::Unknown));
    }
}
