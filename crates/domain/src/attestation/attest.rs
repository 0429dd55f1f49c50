//! Attest what a platform's accounts held at a position.

use super::event::Made;
use crate::aggregate::{Fact, Key};
use crate::decide::Decide;
use crate::id::{AttestationId, PlatformId};
use crate::platform;
use crate::state::{State, States};
use crate::time::Timestamp;

/// Asks to commit to a tree of last entries, computed from the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attest {
    /// Whose accounts they are.
    pub platform: PlatformId,
    /// What is said of them.
    pub made: Made,
}

impl Decide for Attest {
    fn subject(&self) -> Key {
        self.id().into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![self.id().into(), self.platform.into()]
    }

    /// Decides. What was said of this position or a later one is not said again.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<Fact>, crate::Refusal> {
        states.platform(self.platform).ok_or(platform::Refusal::Unknown)?;
        let last = match states.state(self.id().into()) {
            Some(State::Attestation(last)) => last.made.position,
            _ => 0,
        };
        let is_new = self.made.position > last;
        Ok(is_new.then(|| Fact::new(self.id(), self.made.clone())).into_iter().collect())
    }

    fn makes_for(&self) -> Option<PlatformId> {
        Some(self.platform)
    }

    /// Nothing new. It continues the attestation before.
    fn makes(&self) -> Option<Key> {
        None
    }
}

impl Attest {
    /// The stream of the platform's attestations.
    #[must_use]
    pub fn id(&self) -> AttestationId {
        AttestationId::of(self.platform)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::fixture::{PLATFORM, attest};
    use crate::testing::given;

    #[test]
    fn each_is_of_a_later_position() {
        let first = attest(7);
        let fact = |attest: &Attest| Fact::new(AttestationId::of(PLATFORM), attest.made.clone());
        let world = given([]).when(first.clone()).then([fact(&first)]);
        let world = world.when(first).then([]).when(attest(6)).then([]);
        world.when(attest(8)).then([fact(&attest(8))]);
    }

    #[test]
    fn there_is_none_without_a_platform() {
        let foreign = Attest { platform: PlatformId::from_u128(2), ..attest(7) };
        given([]).when(foreign).refused(platform::Refusal::Unknown);
    }

    #[test]
    fn its_stream_tells_its_platform() {
        assert_eq!(attest(7).id().platform(), PLATFORM);
        assert_ne!(attest(7).id().as_u128(), PLATFORM.as_u128());
    }
}
