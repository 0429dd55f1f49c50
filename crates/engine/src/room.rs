//! Queue limits of the writer, in all and per platform and user. Several commands of one call count as much as they
//! would alone.

use daybook_domain::{Actor, Command};

use crate::batch::Call;
use crate::share::{Bounds, Full, Holder, Share, Shares};
use crate::writer::weight;

/// Maximum number of waiting commands. Further commands are refused as busy.
const COMMANDS: Bounds = Bounds { platform: 3_072, user: 1_024, ..Bounds::of(4_096) };
/// Maximum KiB of waiting boxes in all: two of the largest users.
const BOXES: Bounds = Bounds { platform: 72 * 1_024, user: 48 * 1_024, ..Bounds::of(96 * 1_024) };

/// Counters of the waiting commands and of their boxes.
#[derive(Debug)]
pub(crate) struct Room {
    commands: Shares,
    boxes: Shares,
}

impl Default for Room {
    fn default() -> Self {
        Self { commands: Shares::new(COMMANDS), boxes: Shares::new(BOXES) }
    }
}

impl Room {
    /// Reserves a place for commands that were submitted together.
    ///
    /// # Errors
    ///
    /// The name of the limit that was reached, as the metrics count it.
    pub(crate) fn take(&self, asked: &[(Call, Command)]) -> Result<Place, &'static str> {
        let kib = asked.iter().map(|(_, command)| weight(command)).sum::<usize>() / 1_024;
        let holders = || asked.first().into_iter().flat_map(|(call, _)| holders(call));
        let boxes = self.boxes.take(kib, holders()).map_err(|full| word(full, "boxes", "own_boxes"))?;
        let commands = self.commands.take(asked.len(), holders());
        let commands = commands.map_err(|full| word(full, "queue", "own_queue"))?;
        Ok(Place { commands, _boxes: boxes })
    }

    /// Returns a place that counts as nothing.
    #[cfg(feature = "testing")]
    pub(crate) fn take_none(&self) -> Option<Place> {
        Some(Place { commands: self.commands.take(0, []).ok()?, _boxes: self.boxes.take(0, []).ok()? })
    }

    /// Returns the number of waiting commands and its maximum.
    pub(crate) fn commands(&self) -> (usize, usize) {
        (self.commands.held(), self.commands.bounds().all)
    }
}

const fn word(full: Full, of_all: &'static str, own: &'static str) -> &'static str {
    match full {
        Full::All => of_all,
        Full::Of(_) => own,
    }
}

/// Returns the owners whose limits a call counts against. Commands of background processes have none.
fn holders(call: &Call) -> impl Iterator<Item = Holder> + use<> {
    let person = match call.actor {
        Actor::User(user) => Some(Holder::User(user.as_u128())),
        Actor::Operator(operator) => Some(Holder::User(operator.as_u128())),
        Actor::Process | Actor::Platform | Actor::Bank => None,
    };
    call.platform.map(|platform| Holder::Platform(platform.as_u128())).into_iter().chain(person)
}

/// Place of commands that were submitted together. Boxes count until the commands are answered.
#[derive(Debug)]
pub(crate) struct Place {
    commands: Share,
    _boxes: Share,
}

impl Place {
    /// Frees the place in the queue, because the writer has taken the commands.
    pub(crate) fn is_their_turn(&mut self) {
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
        let one = || (Call { actor, platform, ..Call::default() }, SendFile { custody, file }.into());
        std::iter::repeat_with(one).take(commands).collect()
    }

    #[test]
    fn batch_counts_each_of_its_commands() {
        let room = Room::default();
        let mut held: Vec<_> = (0..10).map(|_| room.take(&asked(1, 1, 100)).expect("its own")).collect();
        assert_eq!(room.commands(), (1_000, 4_096));
        assert_eq!(room.take(&asked(1, 1, 100)).err(), Some("own_queue"));
        held.push(room.take(&asked(1, 1, 24)).expect("what is left of its own"));
        assert_eq!(room.take(&asked(1, 1, 1)).err(), Some("own_queue"));
        held.extend((2..4).map(|user| room.take(&asked(1, user, 1_024)).expect("others' of its platform")));
        assert_eq!(room.take(&asked(1, 4, 1)).err(), Some("own_queue"), "the platform is at its limit");
        held.push(room.take(&asked(2, 5, 1_024)).expect("another platform's"));
        assert_eq!(room.take(&asked(3, 6, 1)).err(), Some("queue"));
        held.iter_mut().for_each(Place::is_their_turn);
        assert_eq!(room.commands().0, 0);
    }
}
