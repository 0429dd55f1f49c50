//! Secrets of a subscription, which sign its calls. A secret is derived from the subscription's id and a generation,
//! with a key that the domain does not know ([ADR
//! 25](../../../../docs/adr/0025-a-secret-follows-from-its-generation.md)).

use serde::{Deserialize, Serialize};

use super::Subscription;
use crate::time::Timestamp;

/// Time for which the previous secret still signs calls too, so that a receiver need not change its secret at the
/// moment of the rotation: 24 hours, in milliseconds.
pub const ROTATION_OVERLAP_MS: i64 = 24 * 60 * 60 * 1000;

/// A change of the secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rotation {
    /// Generation since the change: 1 after the first one.
    pub generation: u32,
    /// Time of the change.
    pub at: Timestamp,
}

impl Subscription {
    /// Generation of the newest secret; 0 before the first change.
    #[must_use]
    pub fn secret_generation(&self) -> u32 {
        self.rotation.map_or(0, |rotation| rotation.generation)
    }

    /// Generations of the secrets that sign calls at `now`, the newest first: one, or two for [`ROTATION_OVERLAP_MS`]
    /// after a change. A second change within that time invalidates the oldest secret at once.
    pub fn signing_generations(&self, now: Timestamp) -> impl Iterator<Item = u32> {
        let before =
            self.rotation.filter(|rotation| now.ms() < rotation.at.ms().saturating_add(ROTATION_OVERLAP_MS));
        let before = before.and_then(|rotation| rotation.generation.checked_sub(1));
        std::iter::once(self.secret_generation()).chain(before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aggregate::Aggregate;
    use crate::state::States;
    use crate::subscription::{Changed, Event};
    use crate::testing::fixture::subscription;
    use crate::testing::given;

    fn rotated(subscription: &mut Subscription, generation: u32, at: i64) {
        let changed = Changed { secret_generation: Some(generation), ..Changed::default() };
        subscription.evolve(&Event::Changed(changed), Timestamp::from_ms(at));
    }

    fn at(subscription: &Subscription, ms: i64) -> Vec<u32> {
        subscription.signing_generations(Timestamp::from_ms(ms)).collect()
    }

    #[test]
    fn old_secret_stays_valid_for_a_day() {
        let world = given([subscription(1).into()]);
        let mut known = world.subscription(subscription(1).id).expect("is there").clone();
        assert_eq!(at(&known, 0), [0]);
        rotated(&mut known, 1, 1_000);
        for (now, expected) in [
            (0, [1, 0].as_slice()),
            (1_000, &[1, 0]),
            (ROTATION_OVERLAP_MS + 999, &[1, 0]),
            (ROTATION_OVERLAP_MS + 1_000, &[1]),
        ] {
            assert_eq!(at(&known, now), expected, "{now}");
        }
        rotated(&mut known, 2, 2_000);
        assert_eq!(at(&known, 2_001), [2, 1]);
    }
}
