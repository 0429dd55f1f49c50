use super::*;
use crate::money::Currency;
use crate::platform::{Limits, Policy};
use crate::posting::Rail;
use crate::state::States;
use crate::testing::fixture::{
    ANNS, BOBS_BANK, FILE, PACE_MS, PULLED, between, bounce, cancel, credit, cut, cut_as, debit, fund, hasty,
    income, look_again, pay, payment, queue, release, set_policy, settle, transaction, way,
};
use crate::testing::{World, given};
use crate::time::{DAY_MS, Timestamp};
use crate::transaction::Direction;
use crate::transaction::create::Create;
use crate::transaction::returns::ReturnTransaction;

fn next(world: &World) -> Option<(i64, i16)> {
    let (process, due_ms, step) = any(world)?;
    assert_eq!(process, Process::Settlement);
    Some((due_ms, step))
}

fn any(world: &World) -> Option<(Process, i64, i16)> {
    let to_do = to_do(world.transaction(transaction(1)).expect("created"))?;
    Some((to_do.process, to_do.due_at.ms(), to_do.step))
}

#[test]
fn steps_are_due_one_pace_apart() {
    let mut world = given([fund(ANNS, 100)]).later(500).when(pay(1, 60)).accepted();
    let steps = [(debit(1), Step::Debit), (credit(1), Step::Credit), (settle(1), Step::Settle)];
    for (command, step) in steps {
        assert_eq!(next(&world), Some((500 + PACE_MS * step as i64, step as i16)));
        world = world.when(command).accepted();
    }
    assert_eq!(next(&world), None);
}

#[test]
fn late_step_does_not_delay_later_ones() {
    let world = given([fund(ANNS, 100), pay(1, 60)]).later(DAY_MS).when(debit(1)).accepted();
    assert_eq!(next(&world), Some((2 * PACE_MS, 2)));
}

#[test]
fn scheduled_payment_counts_from_its_day() {
    let scheduled = Create { in_days: 3, ..payment(1, 60) };
    assert_eq!(next(&given([scheduled.into()])), Some((3 * DAY_MS + PACE_MS, 1)));
}

#[test]
fn finished_transaction_has_no_to_do() {
    assert_eq!(next(&given([pay(1, 60), debit(1)])), None);
    let income = income(ANNS, 100);
    let world = given([income.clone().into()]);
    assert_eq!(world.transaction(income.id).map(to_do), Some(None));
}

#[test]
fn overflowing_pace_saturates_at_end_of_time() {
    let slow = Create { pace_ms: i64::MAX, ..payment(1, 60) };
    let world = given([fund(ANNS, 100), slow.into(), debit(1)]);
    assert_eq!(next(&world), Some((Timestamp::from_ms(i64::MAX).ms(), 2)));
}

/// Each leg waits for its file, and the step after the leg waits for that file.
#[test]
fn rail_legs_wait_for_their_files() {
    let create = between(1, PULLED, BOBS_BANK, 60);
    let (pull, push) = (Direction::Pull as i16, Direction::Push as i16);
    let expected = [
        (Process::Settlement, PACE_MS, Step::Debit as i16),
        (Process::Submission, 2 * PACE_MS, pull),
        (Process::Settlement, 2 * PACE_MS, Step::Credit as i16),
        (Process::Submission, 2 * PACE_MS, push),
        (Process::Settlement, 3 * PACE_MS, Step::Settle as i16),
    ];
    let mut world = given([]);
    for (command, expected) in way(&create).into_iter().zip(expected) {
        world = world.when(command).accepted();
        assert_eq!(any(&world), Some(expected));
    }
    let world = world.when(settle(1)).accepted();
    assert_eq!(any(&world), None);
}

#[test]
fn early_settled_legs_still_need_files() {
    let create = between(1, PULLED, BOBS_BANK, 60);
    let settled = given(hasty(&create)).later(500);
    assert_eq!(any(&settled), Some((Process::Submission, 0, Direction::Pull as i16)));
    let pulled = cut_as(1, Direction::Pull, Rail::Ach, FILE);
    let world = settled.when(pulled).accepted();
    assert_eq!(any(&world), Some((Process::Submission, 0, Direction::Push as i16)));
    assert_eq!(any(&world.when(cut(1)).accepted()), None);
}

#[test]
fn refund_waits_for_a_file() {
    let back = ReturnTransaction { leg: Some(Direction::Push), ..bounce(1, "R01") };
    let world = given(way(&between(1, PULLED, BOBS_BANK, 60))).later(500).when(back).accepted();
    assert_eq!(any(&world), Some((Process::Submission, 500, Direction::Refund as i16)));
    // A return without a refund is over.
    let world = given(way(&between(1, PULLED, BOBS_BANK, 60))).when(bounce(1, "R01")).accepted();
    assert_eq!(any(&world), None);
}

#[test]
fn queued_transaction_is_rechecked_at_expiry() {
    let world = given([fund(ANNS, 100)]).later(500).when(pay(1, 60)).accepted();
    let world = world.later(500).when(queue(1, QueueReason::Risk)).accepted();
    assert_eq!(next(&world), Some((1_000 + EXPIRY_MS, RECHECK_QUEUED)));
    // More reasons do not extend the time.
    let world = world.later(500).when(queue(1, QueueReason::SenderNotAuthorised)).accepted();
    assert_eq!(next(&world), Some((1_000 + EXPIRY_MS, RECHECK_QUEUED)));
    let released = world.clone().when(release(1)).accepted();
    assert_eq!(next(&released), Some((500 + PACE_MS, Step::Debit as i16)));
    assert_eq!(next(&world.when(cancel(1)).accepted()), None);
}

#[test]
fn daily_limit_queue_is_rechecked_next_day() {
    let limits = Limits { daily_out: Some(50), ..Limits::default() };
    let policy = Policy { limits: [(Currency::USD, limits)].into(), ..Policy::default() };
    let mut world = given([fund(ANNS, 100), set_policy(90, policy)]).later(500).when(pay(1, 60)).accepted();
    for day in 1..=13 {
        assert_eq!(next(&world), Some((day * DAY_MS, RECHECK_QUEUED)));
        world.pass(day * DAY_MS - world.now().ms());
        world = world.when(look_again(1)).accepted();
    }
    world.pass(DAY_MS);
    let world = world.when(look_again(1)).accepted();
    assert_eq!(next(&world), Some((500 + EXPIRY_MS, RECHECK_QUEUED)));
}
