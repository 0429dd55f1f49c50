//! Withdraw a leg from a file that could not carry it. No bank received the leg, so every cent goes back to where it
//! came from, as if the leg had never been submitted.

use super::event::Withdrawn;
use super::returns::ReturnTransaction;
use super::{Direction, Refusal, Status};
use crate::actor::Origin;
use crate::aggregate::{Key, NewEvent};
use crate::calendar::ReturnCode;
use crate::decide::Decide;
use crate::id::{PlatformId, TransactionId};
use crate::state::{After, States};
use crate::time::Timestamp;

/// Command to withdraw a leg from its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Withdraw {
    /// The transaction.
    pub id: TransactionId,
    /// The platform of the transaction.
    pub platform: PlatformId,
    /// The leg.
    pub direction: Direction,
    /// Return reason code of the rail.
    pub code: ReturnCode,
}

impl Decide for Withdraw {
    fn subject(&self) -> Key {
        self.id.into()
    }

    fn needs(&self, states: &impl States) -> Vec<Key> {
        self.back().needs(states)
    }

    /// Decides. Changes nothing if the leg is in no file, or if the transaction was returned already.
    fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let transaction = states.transaction(self.id).filter(|it| it.platform == self.platform);
        let transaction = transaction.ok_or(Refusal::Unknown)?;
        if transaction.status == Status::Returned || !transaction.submitted.contains(&self.direction) {
            return Ok(vec![]);
        }
        let withdrawn = NewEvent::new(self.id, Withdrawn { direction: self.direction });
        let mut after = After::new(states);
        after.take(std::slice::from_ref(&withdrawn), at);
        let transaction = after.transaction(self.id).ok_or(Refusal::Unknown)?;
        // No time limit applies, because no bank returns the entry.
        let returned = self.back().reverse(&after, transaction, at)?;
        Ok(std::iter::once(withdrawn).chain(returned).collect())
    }
}

impl Withdraw {
    fn back(&self) -> ReturnTransaction {
        let Self { id, platform, direction, code } = *self;
        ReturnTransaction { id, platform, code, leg: Some(direction), origin: Origin::PROCESS }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::posting::Rail;
    use crate::testing::fixture::{
        ANNS, BOBS_BANK, FILE, PLATFORM, PULLED, advance_clock, between, bounce, credit, cut, cut_as, debit,
        fund, pay_out, pull, transaction,
    };
    use crate::testing::{World, given};
    use crate::time::DAY_MS;
    use crate::{Command, Currency, FileId};

    fn withdraw(direction: Direction) -> Withdraw {
        let code = "R03".parse().expect("known");
        Withdraw { id: transaction(1), platform: PLATFORM, direction, code }
    }

    fn cut_pull() -> Command {
        cut_as(1, Direction::Pull, Rail::Ach, FILE)
    }

    /// Checks that no item is open, that no leg has to be submitted, and that the account is as it was.
    fn check(world: &World, posted: i64) {
        let after = world.transaction(transaction(1)).expect("created");
        assert_eq!((after.status, after.to_submit()), (Status::Returned, None));
        assert_eq!(after.open_items(), []);
        assert_eq!(world.account(ANNS, Currency::USD).posted, posted);
    }

    #[test]
    fn withdrawn_push_leaves_nothing_open() {
        let history = [fund(ANNS, 100), pay_out(1, 60), debit(1), credit(1), cut(1)];
        let world = given(history).when(withdraw(Direction::Push)).accepted();
        check(&world, 100);
        world.when(withdraw(Direction::Push)).then([]);
    }

    #[test]
    fn withdrawn_pull_leaves_nothing_open() {
        let world = given([pull(1, 60), debit(1), cut_pull()]).when(withdraw(Direction::Pull)).accepted();
        check(&world, 0);
    }

    #[test]
    fn withdrawn_push_refunds_its_pull() {
        let push = cut_as(1, Direction::Push, Rail::Ach, FileId::from_u128(51));
        let history = [between(1, PULLED, BOBS_BANK, 60).into(), debit(1), cut_pull(), credit(1), push];
        let world = given(history).when(withdraw(Direction::Push)).accepted();
        let after = world.transaction(transaction(1)).expect("created");
        assert_eq!(
            after.to_submit().map(|(direction, node, _)| (direction, node)),
            Some((Direction::Refund, PULLED))
        );
    }

    #[test]
    fn withdrawal_has_no_time_limit() {
        let history = [pull(1, 60), debit(1), cut_pull(), advance_clock(30 * DAY_MS).into()];
        check(&given(history).when(withdraw(Direction::Pull)).accepted(), 0);
    }

    #[test]
    fn leg_without_file_is_not_withdrawn() {
        given([pull(1, 60), debit(1)]).when(withdraw(Direction::Pull)).then([]);
        given([pull(1, 60), debit(1), cut_pull(), bounce(1, "R01").into()])
            .when(withdraw(Direction::Pull))
            .then([]);
    }
}
