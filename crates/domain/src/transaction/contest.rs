//! Record a contested return: the originator's bank dishonored a return, and the receiver's bank insists on it.
//!
//! The notice moves no money. The bank's statement has a line when it takes the money back, and operators match that
//! line. The originator's bank cannot dishonor the return again, so the return stands: a transaction that is not returned
//! yet can be returned without a time limit.

use super::Refusal;
use super::event::ReturnContested;
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::{PlatformId, TransactionId};
use crate::state::States;
use crate::time::Timestamp;

/// Command to record a contested return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordContest {
    /// The transaction.
    pub id: TransactionId,
    /// Platform whose bank sent the notice.
    pub platform: PlatformId,
    /// The notice.
    pub contest: ReturnContested,
}

impl Decide for RecordContest {
    fn subject(&self) -> Key {
        self.id.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![self.id.into()]
    }

    /// Decides. A notice that was recorded before changes nothing. Refuses a leg that is in no file.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let transaction = states.transaction(self.id).filter(|it| it.platform == self.platform);
        let transaction = transaction.filter(|it| it.submitted.contains(&self.contest.leg));
        let transaction = transaction.ok_or(Refusal::Unknown)?;
        if transaction.contests.contains(&self.contest) {
            return Ok(vec![]);
        }
        Ok(vec![NewEvent::new(self.id, self.contest)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::fixture::{BOBS_BANK, PULLED, between, bounce, contest, transaction, way};
    use crate::testing::{World, given};
    use crate::time::DAY_MS;
    use crate::transaction::{ContestCode, Direction, Status};

    /// A world in which 60 went from Ann's bank account to Bob's, with an entry for each of them.
    fn sent() -> World {
        given(way(&between(1, PULLED, BOBS_BANK, 60)))
    }

    fn with(change: impl FnOnce(&mut ReturnContested)) -> RecordContest {
        let mut command = contest(1);
        change(&mut command.contest);
        command
    }

    #[test]
    fn contest_is_recorded_once_without_money() {
        let recorded = NewEvent::new(transaction(1), contest(1).contest);
        assert_eq!(recorded.event.postings(), None);
        for world in [sent(), sent().when(bounce(1, "R01")).accepted()] {
            let before = world.transaction(transaction(1)).expect("created").clone();
            let world = world.when(contest(1)).then([recorded.clone()]).when(contest(1)).then([]);
            let after = world.transaction(transaction(1)).expect("created");
            assert_eq!(after.contests, [contest(1).contest]);
            assert_eq!(
                (after.status, &after.net, &after.cleared),
                (before.status, &before.net, &before.cleared)
            );
        }
    }

    #[test]
    fn each_notice_is_an_event() {
        let others = [
            with(|it| it.code = ContestCode::NoErrors),
            with(|it| it.returned.trace += 1),
            with(|it| it.dishonored.trace += 1),
            with(|it| it.leg = Direction::Push),
        ];
        let mut world = sent().when(contest(1)).accepted();
        for other in others {
            world = world.when(other).then([NewEvent::new(transaction(1), other.contest)]);
        }
        assert_eq!(world.transaction(transaction(1)).expect("created").contests.len(), 5);
    }

    #[test]
    fn contest_must_be_about_an_entry() {
        let other = PlatformId::from_u128(2);
        let refused = [
            RecordContest { id: transaction(404), ..contest(1) },
            RecordContest { platform: other, ..contest(1) },
            with(|it| it.leg = Direction::Refund),
        ];
        for command in refused {
            sent().when(command).refused(Refusal::Unknown);
        }
    }

    #[test]
    fn contested_return_has_no_time_limit() {
        let late = |world: World| world.later(100 * DAY_MS);
        late(sent()).when(bounce(1, "R01")).refused(Refusal::TooLateToReturn);
        let pushed = with(|it| it.leg = Direction::Push);
        late(sent().when(pushed).accepted()).when(bounce(1, "R01")).refused(Refusal::TooLateToReturn);
        let world = late(sent().when(contest(1)).accepted()).when(bounce(1, "R01")).accepted();
        assert_eq!(world.transaction(transaction(1)).expect("created").status, Status::Returned);
    }
}
