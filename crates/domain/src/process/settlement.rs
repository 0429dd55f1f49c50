//! Settlement: a transaction takes its three steps at its own pace, counted from when it may be processed; one that is
//! held back is looked at again, and ends when it has waited too long.

use super::{Process, ToDo};
use crate::calendar::Day;
use crate::time::Timestamp;
use crate::transaction::advance::Step;
use crate::transaction::queue::EXPIRY_MS;
use crate::transaction::{QueueReason, Status, Transaction};

/// The number of the look at a transaction that is held back; those below are [`Step`]s.
pub const LOOK_AGAIN: i16 = 4;

/// What is to be done about a transaction.
#[must_use]
pub(super) fn to_do(transaction: &Transaction) -> Option<ToDo> {
    if let Some((since, looked_at)) = transaction.queued_at.filter(|_| transaction.status == Status::Queued) {
        let expiry = since.plus_ms(EXPIRY_MS);
        let is_daily = transaction.queue.contains(&QueueReason::DailyLimit);
        let due_at = if is_daily { Day::of(looked_at).plus_days(1).start().min(expiry) } else { expiry };
        return Some(ToDo { process: Process::Settlement, due_at, step: LOOK_AGAIN });
    }
    let next = Step::after(transaction.status);
    if let Some((direction, ..)) = transaction.to_submit() {
        // The file is cut when the step that starts the credit is due: until then the batch is open.
        let due_at = next.map_or(transaction.moved_at, |_| due(transaction, Step::Credit));
        return Some(ToDo { process: Process::Submission, due_at, step: direction as i16 });
    }
    let step = next?;
    Some(ToDo { process: Process::Settlement, due_at: due(transaction, step), step: step as i16 })
}

fn due(transaction: &Transaction, step: Step) -> Timestamp {
    transaction.process_on.plus_ms(transaction.pace_ms.saturating_mul(step as i64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::States;
    use crate::testing::fixture::{
        ANNS, PACE_MS, credit, debit, fund, income, pay, payment, settle, transaction,
    };
    use crate::testing::{World, given};
    use crate::time::{DAY_MS, Timestamp};
    use crate::transaction::create::Create;

    fn next(world: &World) -> Option<(i64, i16)> {
        let to_do = to_do(world.transaction(transaction(1)).expect("created"))?;
        assert_eq!(to_do.process, Process::Settlement);
        Some((to_do.due_at.ms(), to_do.step))
    }

    #[test]
    fn each_step_is_due_one_pace_after_the_one_before() {
        let mut world = given([fund(ANNS, 100)]).later(500).when(pay(1, 60)).accepted();
        let steps = [(debit(1), Step::Debit), (credit(1), Step::Credit), (settle(1), Step::Settle)];
        for (command, step) in steps {
            assert_eq!(next(&world), Some((500 + PACE_MS * step as i64, step as i16)));
            world = world.when(command).accepted();
        }
        assert_eq!(next(&world), None);
    }

    #[test]
    fn a_late_step_does_not_delay_those_after_it() {
        let world = given([fund(ANNS, 100), pay(1, 60)]).later(DAY_MS).when(debit(1)).accepted();
        assert_eq!(next(&world), Some((2 * PACE_MS, 2)));
    }

    #[test]
    fn a_scheduled_payment_counts_from_its_day() {
        let scheduled = Create { in_days: 3, ..payment(1, 60) };
        assert_eq!(next(&given([scheduled.into()])), Some((3 * DAY_MS + PACE_MS, 1)));
    }

    #[test]
    fn what_is_over_waits_for_nothing() {
        assert_eq!(next(&given([pay(1, 60), debit(1)])), None);
        let income = income(ANNS, 100);
        let world = given([income.clone().into()]);
        assert_eq!(world.transaction(income.id).map(to_do), Some(None));
    }

    #[test]
    fn a_pace_beyond_the_integers_is_due_at_the_end_of_time() {
        let slow = Create { pace_ms: i64::MAX, ..payment(1, 60) };
        let world = given([fund(ANNS, 100), slow.into(), debit(1)]);
        assert_eq!(next(&world), Some((Timestamp::from_ms(i64::MAX).ms(), 2)));
    }
}
