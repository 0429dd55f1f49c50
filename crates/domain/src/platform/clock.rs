//! Advance the clock of a sandbox platform, so that a test need not wait for a settlement or the end of a day.

use super::Refusal;
use super::event::ClockAdvanced;
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::PlatformId;
use crate::state::States;
use crate::time::DAY_MS;
use crate::time::Timestamp;

/// Maximum time by which a clock may be ahead: ten years.
pub const MAX_AHEAD_MS: i64 = 3_653 * DAY_MS;

/// Command to advance a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdvanceClock {
    /// The platform.
    pub platform: PlatformId,
    /// Milliseconds to advance, above zero.
    pub ms: i64,
}

impl Decide for AdvanceClock {
    fn subject(&self) -> Key {
        self.platform.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![self.platform.into()]
    }

    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let platform = states.platform(self.platform).ok_or(Refusal::Unknown)?;
        if !platform.sandbox {
            return Err(Refusal::NotSandbox.into());
        }
        let ahead = platform.clock_ms.saturating_add(self.ms);
        if self.ms <= 0 || ahead > MAX_AHEAD_MS {
            return Err(Refusal::OutOfRange.into());
        }
        Ok(vec![NewEvent::new(self.platform, ClockAdvanced { ms: self.ms })])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::fixture::{PLATFORM, advance_clock, open};
    use crate::testing::{World, given};
    use crate::{Command, Timestamp};

    #[test]
    fn clock_advances_add_up() {
        let world = given([advance_clock(1_000).into()]).when(advance_clock(500)).accepted();
        assert_eq!(world.platform(PLATFORM).map(|platform| platform.clock_ms), Some(1_500));
        assert_eq!(world.now_of(Some(PLATFORM)), Timestamp::from_ms(1_500));
        assert_eq!(world.now(), Timestamp::default());
    }

    #[test]
    fn clock_never_goes_back_nor_beyond_limit() {
        for ms in [0, -1, MAX_AHEAD_MS + 1, i64::MAX] {
            given([]).when(advance_clock(ms)).refused(Refusal::OutOfRange);
        }
        given([advance_clock(MAX_AHEAD_MS).into()]).when(advance_clock(1)).refused(Refusal::OutOfRange);
    }

    #[test]
    fn only_a_sandbox_clock_can_advance() {
        let mut world = World::default();
        world.submit(&Command::from(super::super::open::Open { sandbox: false, ..open() })).expect("opens");
        world.when(advance_clock(1)).refused(Refusal::NotSandbox);
        given([])
            .when(AdvanceClock { platform: PlatformId::from_u128(404), ms: 1 })
            .refused(Refusal::Unknown);
    }
}
