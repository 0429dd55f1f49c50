//! Queue limits of a shard, in all and per platform and user. Several commands of one call count as much as they
//! would alone.

use daybook_domain::{Actor, Command};

use crate::batch::Call;
use crate::share::{LimitHolder, LimitReached, Limits, Permit, SharedLimit};
use crate::writer::weight;

/// Maximum number of waiting commands. Further commands are refused as busy.
const COMMAND_LIMITS: Limits = Limits { platform: 3_072, user: 1_024, ..Limits::of(4_096) };
/// Maximum KiB of waiting boxes in all: two of the largest users.
const BOX_KIB_LIMITS: Limits = Limits { platform: 72 * 1_024, user: 48 * 1_024, ..Limits::of(96 * 1_024) };

/// Counters of the waiting commands and of their boxes.
#[derive(Debug)]
pub(crate) struct QueueLimiter {
    commands: SharedLimit,
    boxes: SharedLimit,
}

/// Counter of the waiting boxes of all shards. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct BoxLimiter(SharedLimit);

impl Default for BoxLimiter {
    fn default() -> Self {
        Self(SharedLimit::new(BOX_KIB_LIMITS))
    }
}

impl Default for QueueLimiter {
    fn default() -> Self {
        Self::sharing(BoxLimiter::default())
    }
}

impl QueueLimiter {
    /// Creates the limits of one shard, which shares the memory for boxes with the other shards.
    pub(crate) fn sharing(BoxLimiter(boxes): BoxLimiter) -> Self {
        Self { commands: SharedLimit::new(COMMAND_LIMITS), boxes }
    }

    /// Reserves a place for commands that were submitted together.
    ///
    /// # Errors
    ///
    /// The name of the limit that was reached, as the metrics count it.
    pub(crate) fn take(&self, asked: &[(Call, Command)]) -> Result<QueuePermit, &'static str> {
        let kib = asked.iter().map(|(_, command)| weight(command)).sum::<usize>() / 1_024;
        let holders = || asked.first().into_iter().flat_map(|(call, _)| holders(call));
        let boxes = self.boxes.take(kib, holders()).map_err(|full| word(full, "boxes", "own_boxes"))?;
        let commands = self.commands.take(asked.len(), holders());
        let commands = commands.map_err(|full| word(full, "queue", "own_queue"))?;
        Ok(QueuePermit { commands, _boxes: boxes })
    }

    /// Returns a place that counts as nothing.
    #[cfg(feature = "testing")]
    pub(crate) fn take_none(&self) -> Option<QueuePermit> {
        Some(QueuePermit { commands: self.commands.take(0, []).ok()?, _boxes: self.boxes.take(0, []).ok()? })
    }

    /// Returns the number of waiting commands and its maximum.
    pub(crate) fn commands(&self) -> (usize, usize) {
        (self.commands.held(), self.commands.limits().all)
    }
}

const fn word(full: LimitReached, of_all: &'static str, own: &'static str) -> &'static str {
    match full {
        LimitReached::All => of_all,
        LimitReached::Of(_) => own,
    }
}

/// Returns the owners whose limits a call counts against. Commands of background processes have none.
fn holders(call: &Call) -> impl Iterator<Item = LimitHolder> + use<> {
    let person = match call.actor {
        Actor::User(user) => Some(LimitHolder::User(user.as_u128())),
        Actor::Operator(operator) => Some(LimitHolder::User(operator.as_u128())),
        Actor::Process | Actor::Platform | Actor::Bank => None,
    };
    call.platform.map(|platform| LimitHolder::Platform(platform.as_u128())).into_iter().chain(person)
}

/// Place of commands that were submitted together. Boxes count until the commands are answered.
#[derive(Debug)]
pub(crate) struct QueuePermit {
    commands: Permit,
    _boxes: Permit,
}

impl QueuePermit {
    /// Frees the place in the queue, because the writer has taken the commands.
    pub(crate) fn release_commands(&mut self) {
        self.commands.give_back();
    }
}

#[cfg(test)]
mod tests {
    use daybook_domain::custody::cut::SendFile;
    use daybook_domain::{CustodyId, FileId, PlatformId, UserId};

    use super::*;

    /// Creates `commands` commands in one call of a user of a platform.
    fn asked(platform: u128, user: u128, commands: usize) -> Vec<(Call, Command)> {
        let (custody, file) = (CustodyId::from_u128(1), FileId::from_u128(1));
        let (platform, actor) = (Some(PlatformId::from_u128(platform)), Actor::User(UserId::from_u128(user)));
        let one = || (Call { actor, platform, ..Call::of(1) }, SendFile { custody, file, as_of: 0 }.into());
        std::iter::repeat_with(one).take(commands).collect()
    }

    #[test]
    fn batch_counts_each_of_its_commands() {
        let limiter = QueueLimiter::default();
        let mut held: Vec<_> = (0..10).map(|_| limiter.take(&asked(1, 1, 100)).expect("its own")).collect();
        assert_eq!(limiter.commands(), (1_000, 4_096));
        assert_eq!(limiter.take(&asked(1, 1, 100)).err(), Some("own_queue"));
        held.push(limiter.take(&asked(1, 1, 24)).expect("what is left of its own"));
        assert_eq!(limiter.take(&asked(1, 1, 1)).err(), Some("own_queue"));
        held.extend(
            (2..4).map(|user| limiter.take(&asked(1, user, 1_024)).expect("others' of its platform")),
        );
        assert_eq!(limiter.take(&asked(1, 4, 1)).err(), Some("own_queue"), "the platform is at its limit");
        held.push(limiter.take(&asked(2, 5, 1_024)).expect("another platform's"));
        assert_eq!(limiter.take(&asked(3, 6, 1)).err(), Some("queue"));
        held.iter_mut().for_each(QueuePermit::release_commands);
        assert_eq!(limiter.commands().0, 0);
    }
}
