//! Secrets of a subscription: which of them its calls are signed with. A secret follows from the id and a generation, under
//! a key that is not known here ([ADR 25](../../../../docs/adr/0025-a-secret-follows-from-its-generation.md)).

use serde::{Deserialize, Serialize};

use super::Subscription;
use crate::time::Timestamp;

/// How long calls are signed with the secret before, too, so that nobody has to change it at the same moment as we do:
/// 24 hours, in milliseconds.
pub const OVERLAP_MS: i64 = 24 * 60 * 60 * 1000;

/// A change of the secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rotation {
    /// The generation since then: 1 after the first change.
    pub generation: u32,
    /// When it was.
    pub at: Timestamp,
}

impl Subscription {
    /// The generation of the secret that is told to whoever asks for a new one; 0 from the beginning.
    #[must_use]
    pub fn secret_generation(&self) -> u32 {
        self.rotation.map_or(0, |rotation| rotation.generation)
    }

    /// The generations of the secrets that calls are signed with at `now`, the newest first: one, or for [`OVERLAP_MS`]
    /// after a change two. Who changes it twice in that time is rid of the first one at once.
    pub fn signing_generations(&self, now: Timestamp) -> impl Iterator<Item = u32> {
        let before = self.rotation.filter(|rotation| now.ms() < rotation.at.ms().saturating_add(OVERLAP_MS));
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
    fn for_a_day_after_a_change_there_are_two_secrets() {
        let world = given([subscription(1).into()]);
        let mut known = world.subscription(subscription(1).id).expect("is there").clone();
        assert_eq!(at(&known, 0), [0]);
        rotated(&mut known, 1, 1_000);
        for (now, expected) in [
            (0, [1, 0].as_slice()),
            (1_000, &[1, 0]),
            (OVERLAP_MS + 999, &[1, 0]),
            (OVERLAP_MS + 1_000, &[1]),
        ] {
            assert_eq!(at(&known, now), expected, "{now}");
        }
        rotated(&mut known, 2, 2_000);
        assert_eq!(at(&known, 2_001), [2, 1]);
    }
}
