//! How what is held back goes on, or ends.

use super::*;

/// Dan's payment of 60 to Bob, held back because nobody knows Dan.
fn dans() -> World {
    given([fund(DANS, 100), between(1, DANS, BOBS, 60).into()])
}

fn released(origin: Origin) -> Fact {
    happened(1, Released { origin })
}

#[test]
fn it_goes_on_when_the_cause_is_cleared() {
    let world = dans().when(look_again(1)).then([]).when(permit(DAN, SendAndReceive)).accepted();
    let world = world.when(look_again(1)).then([released(Origin::PROCESS)]);
    assert_eq!((of(&world).status, of(&world).hold), (Status::Created, 60));
    let world =
        [debit(1), credit(1), settle(1)].into_iter().fold(world, |world, step| world.when(step).accepted());
    assert_eq!(world.account(BOBS, Currency::USD).posted, 60);
}

#[test]
fn somebody_may_let_it_go_once_the_cause_is_cleared() {
    dans().when(let_go(1)).refused(Refusal::StillBlocked);
    let known = dans().when(permit(DAN, SendAndReceive)).accepted();
    known.when(let_go(1)).then([released(Origin::simulated())]);
}

#[test]
fn a_reason_that_somebody_gave_is_taken_back_by_somebody() {
    let given = given([fund(ANNS, 100), pay(1, 60), queue(1, QueueReason::Risk).into()]);
    given.clone().when(look_again(1)).then([]);
    given.when(let_go(1)).then([released(Origin::simulated())]);
}

#[test]
fn what_still_stands_is_told_anew() {
    let world =
        dans().when(queue(1, QueueReason::Risk)).accepted().when(permit(DAN, SendAndReceive)).accepted();
    let world = world.when(look_again(1)).then([queued(&[QueueReason::Risk], Origin::PROCESS)]);
    // And what came up since.
    let world = world.when(lock(90, BOBS)).accepted();
    let both = [QueueReason::ReceiverLocked, QueueReason::Risk];
    let world = world.when(look_again(1)).then([queued(&both, Origin::PROCESS)]);
    world.when(look_again(1)).then([]);
}

#[test]
fn what_went_over_a_days_limit_goes_on_another_day() {
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
fn what_is_more_than_any_days_limit_is_looked_at_every_day() {
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
fn it_ends_after_fourteen_days_whatever_happened_meanwhile() {
    let world = dans().later(EXPIRY_MS / 2).when(queue(1, QueueReason::Risk)).accepted();
    let world = world.later(EXPIRY_MS / 2 - 1).when(look_again(1)).then([]).later(1);
    let canceled = Canceled { reason: CancelReason::QueueExpired, postings: None, origin: Origin::PROCESS };
    let hold = entry(DANS, transaction(1), (0, -60, 0), (100, 0, 0));
    world.clone().when(look_again(1)).then([happened(1, canceled), hold]);
    // Whoever comes just in time may still let it go.
    let known = world.when(permit(DAN, SendAndReceive)).accepted();
    known.when(let_go(1)).then([released(Origin::simulated())]);
}

#[test]
fn what_was_released_and_held_back_again_waits_anew() {
    let world = given([fund(ANNS, 100), pay(1, 60), queue(1, QueueReason::Risk).into(), let_go(1).into()]);
    let world = world.later(EXPIRY_MS).when(queue(1, QueueReason::Risk)).accepted();
    assert_eq!(of(&world).queued_at.map(|(since, _)| since), Some(Timestamp::from_ms(EXPIRY_MS)));
    world.when(look_again(1)).then([]);
}

#[test]
fn it_ends_if_a_side_may_no_longer_take_part_at_all() {
    // A node that the writer forgot to load must not open the door.
    let world = dans();
    let all: Vec<Key> = world.states().map(|(key, _)| *key).collect();
    for (node, reason) in [(DANS, CancelReason::SenderNotAllowed), (BOBS, CancelReason::ReceiverNotAllowed)] {
        let keys = all.iter().copied().filter(|key| *key != Key::from(node)).collect();
        let facts = look_again(1).decide(&Only { world: &world, keys }, world.now());
        let canceled = Canceled { reason, postings: None, origin: Origin::PROCESS };
        let hold = counted(entry(DANS, transaction(1), (0, -60, 0), (100, 0, 0)), 100, 0);
        assert_eq!(facts, Ok(vec![happened(1, canceled), hold]));
    }
}

#[test]
fn what_is_not_held_back_cannot_be_let_go() {
    let world = given([fund(ANNS, 100), pay(1, 60)]);
    world.clone().when(let_go(1)).refused(Refusal::NotQueued(Status::Created));
    world.when(look_again(1)).then([]);
    let canceled = dans().when(ask_cancel(1)).accepted();
    canceled.clone().when(let_go(1)).refused(Refusal::NotQueued(Status::Canceled));
    canceled.later(EXPIRY_MS).when(look_again(1)).then([]);
}
