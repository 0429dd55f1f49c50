//! Release of queued transactions, and their end.

use super::*;

/// A world with Dan's payment of 60 to Bob, queued because Dan is not verified.
fn dans() -> World {
    given([fund(DANS, 100), between(1, DANS, BOBS, 60).into()])
}

fn released(origin: Origin) -> NewEvent {
    happened(1, Released { origin })
}

#[test]
fn payment_continues_when_cause_is_removed() {
    let world = dans().when(look_again(1)).then([]).when(permit(DAN, SendAndReceive)).accepted();
    let world = world.when(look_again(1)).then([released(Origin::PROCESS)]);
    assert_eq!((of(&world).status, of(&world).hold), (Status::Created, 60));
    let world =
        [debit(1), credit(1), settle(1)].into_iter().fold(world, |world, step| world.when(step).accepted());
    assert_eq!(world.account(BOBS, Currency::USD).posted, 60);
}

#[test]
fn caller_may_release_after_cause_is_removed() {
    dans().when(let_go(1)).refused(Refusal::StillBlocked);
    let known = dans().when(permit(DAN, SendAndReceive)).accepted();
    known.when(let_go(1)).then([released(Origin::simulated())]);
}

#[test]
fn caller_reason_is_removed_by_a_caller() {
    let given = given([fund(ANNS, 100), pay(1, 60), queue(1, QueueReason::Risk).into()]);
    given.clone().when(look_again(1)).then([]);
    given.when(let_go(1)).then([released(Origin::simulated())]);
}

#[test]
fn recheck_records_remaining_and_new_reasons() {
    let world =
        dans().when(queue(1, QueueReason::Risk)).accepted().when(permit(DAN, SendAndReceive)).accepted();
    let world = world.when(look_again(1)).then([queued(&[QueueReason::Risk], Origin::PROCESS)]);
    // A reason that came up since is added.
    let world = world.when(lock(90, BOBS)).accepted();
    let both = [QueueReason::ReceiverLocked, QueueReason::Risk];
    let world = world.when(look_again(1)).then([queued(&both, Origin::PROCESS)]);
    world.when(look_again(1)).then([]);
}

#[test]
fn daily_limit_payment_continues_next_day() {
    let limits = Limits { daily_out: Some(60), ..Limits::default() };
    let policy = Policy { limits: [(Currency::USD, limits)].into(), ..Policy::default() };
    let world = given([fund(ANNS, 200), set_policy(90, policy), pay(2, 60), debit(2), pay(1, 60)]);
    let world = world
        .later(DAY_MS - 1)
        .when(look_again(1))
        .then([queued(&[QueueReason::DailyLimit], Origin::PROCESS)]);
    assert_eq!(of(&world).queued_at, Some((Timestamp::default(), Timestamp::from_ms(DAY_MS - 1))));
    world.later(1).when(look_again(1)).then([released(Origin::PROCESS)]);
}

#[test]
fn oversized_payment_is_rechecked_daily_until_expiry() {
    let mut world = over_the_limit();
    for _ in 0..13 {
        world = world
            .later(DAY_MS)
            .when(look_again(1))
            .then([queued(&[QueueReason::DailyLimit], Origin::PROCESS)]);
    }
    let world = world.later(DAY_MS).when(look_again(1)).accepted();
    assert_eq!((of(&world).status, world.account(ANNS, Currency::USD).held), (Status::Canceled, 0));
}

#[test]
fn queued_payment_expires_after_fourteen_days() {
    let world = dans().later(EXPIRY_MS / 2).when(queue(1, QueueReason::Risk)).accepted();
    let world = world.later(EXPIRY_MS / 2 - 1).when(look_again(1)).then([]).later(1);
    let canceled = Canceled { reason: CancelReason::QueueExpired, postings: None, origin: Origin::PROCESS };
    let hold = entry(DANS, transaction(1), (0, -60, 0), (100, 0, 0));
    world.clone().when(look_again(1)).then([happened(1, canceled), hold]);
    // A caller may still release the payment before the process cancels it.
    let known = world.when(permit(DAN, SendAndReceive)).accepted();
    known.when(let_go(1)).then([released(Origin::simulated())]);
}

#[test]
fn second_queue_starts_a_new_period() {
    let world = given([fund(ANNS, 100), pay(1, 60), queue(1, QueueReason::Risk).into(), let_go(1).into()]);
    let world = world.later(EXPIRY_MS).when(queue(1, QueueReason::Risk)).accepted();
    assert_eq!(of(&world).queued_at.map(|(since, _)| since), Some(Timestamp::from_ms(EXPIRY_MS)));
    world.when(look_again(1)).then([]);
}

#[test]
fn missing_node_cancels_a_queued_payment() {
    // A node that the writer failed to load must not permit the payment.
    let world = dans();
    let all: Vec<Key> = world.states().map(|(key, _)| *key).collect();
    for (node, reason) in [(DANS, CancelReason::SenderNotAllowed), (BOBS, CancelReason::ReceiverNotAllowed)] {
        let keys = all.iter().copied().filter(|key| *key != Key::from(node)).collect();
        let facts = look_again(1).decide(&RestrictedWorld { world: &world, keys }, world.now());
        let canceled = Canceled { reason, postings: None, origin: Origin::PROCESS };
        let hold = counted(entry(DANS, transaction(1), (0, -60, 0), (100, 0, 0)), 100, 0);
        assert_eq!(facts, Ok(vec![happened(1, canceled), hold]));
    }
}

#[test]
fn only_queued_payments_can_be_released() {
    let world = given([fund(ANNS, 100), pay(1, 60)]);
    world.clone().when(let_go(1)).refused(Refusal::NotQueued(Status::Created));
    world.when(look_again(1)).then([]);
    let canceled = dans().when(ask_cancel(1)).accepted();
    canceled.clone().when(let_go(1)).refused(Refusal::NotQueued(Status::Canceled));
    canceled.later(EXPIRY_MS).when(look_again(1)).then([]);
}
