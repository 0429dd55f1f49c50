//! Attest the newest entries of a platform's accounts at a position.

use super::event::Made;
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::{AttestationId, PlatformId};
use crate::platform;
use crate::state::{State, States};
use crate::time::Timestamp;

/// Command to commit to a tree of last entries that was computed from the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attest {
    /// Platform of the accounts.
    pub platform: PlatformId,
    /// The tree and its position.
    pub made: Made,
}

impl Decide for Attest {
    fn subject(&self) -> Key {
        self.id().into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![self.id().into(), self.platform.into()]
    }

    /// Decides. Changes nothing if this position or a later one is attested already.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        states.platform(self.platform).ok_or(platform::Refusal::Unknown)?;
        let last = match states.state(self.id().into()) {
            Some(State::Attestation(last)) => last.made.position,
            _ => 0,
        };
        let is_new = self.made.position > last;
        Ok(is_new.then(|| NewEvent::new(self.id(), self.made.clone())).into_iter().collect())
    }

    fn platform_of_new(&self) -> Option<PlatformId> {
        Some(self.platform)
    }

    /// Returns `None`: all attestations of a platform share one stream, which may exist already.
    fn creates(&self) -> Option<Key> {
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
    fn attestations_have_increasing_positions() {
        let first = attest(7);
        let fact = |attest: &Attest| NewEvent::new(AttestationId::of(PLATFORM), attest.made.clone());
        let world = given([]).when(first.clone()).then([fact(&first)]);
        let world = world.when(first).then([]).when(attest(6)).then([]);
        world.when(attest(8)).then([fact(&attest(8))]);
    }

    #[test]
    fn attestation_needs_an_existing_platform() {
        let foreign = Attest { platform: PlatformId::from_u128(2), ..attest(7) };
        given([]).when(foreign).refused(platform::Refusal::Unknown);
    }

    #[test]
    fn attestation_id_yields_its_platform() {
        assert_eq!(attest(7).id().platform(), PLATFORM);
        assert_ne!(attest(7).id().as_u128(), PLATFORM.as_u128());
    }
}
