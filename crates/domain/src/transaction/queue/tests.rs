use super::*;
use crate::account::Account;
use crate::money::Currency;
use crate::operation::Act;
use crate::platform::{Limits, Policy};
use crate::testing::fixture::{
    ANN, ANNS, BOB, BOBS, DAN, DANS, PLATFORM, between, cancel as ask_cancel, counted, credit, debit, entry,
    fund, happened, look_again, operate, pay, permit, queue, release as let_go, set_policy, settle, simulate,
    transaction,
};
use crate::testing::{RestrictedWorld, World, given};
use crate::transaction::{Canceled, Transaction};
use crate::user::Permission::{SendAndReceive, Unverified};
use crate::{Command, NodeId};

mod release;

fn of(world: &World) -> &Transaction {
    world.transaction(transaction(1)).expect("created")
}

fn queued(reasons: &[QueueReason], origin: Origin) -> NewEvent {
    happened(1, Queued { reasons: reasons.to_vec(), waits_for: vec![], origin })
}

fn lock(number: u128, node: NodeId) -> Command {
    operate(number, Act::LockNode { node }).into()
}

/// A world with Ann's payment of 60 under a limit of 50 a day.
fn over_the_limit() -> World {
    let limits = Limits { daily_out: Some(50), ..Limits::default() };
    let policy = Policy { limits: [(Currency::USD, limits)].into(), ..Policy::default() };
    given([fund(ANNS, 100), set_policy(90, policy), pay(1, 60)])
}

#[test]
fn screening_queues_payment_with_its_reason() {
    use QueueReason::{ReceiverLocked, ReceiverPermission, SenderLocked, SenderPermission};
    let lock_user = |user| Command::from(operate(90, Act::LockUser { user }));
    let table: [(&str, Vec<Command>, QueueReason, &str); 6] = [
        ("sender not verified", vec![permit(ANN, Unverified).into()], SenderPermission, "Q06"),
        ("sender locked", vec![lock_user(ANN)], SenderPermission, "Q06"),
        ("receiver not verified", vec![permit(BOB, Unverified).into()], ReceiverPermission, "Q07"),
        ("receiver locked", vec![lock_user(BOB)], ReceiverPermission, "Q07"),
        ("sender's node locked", vec![lock(90, ANNS)], SenderLocked, "Q08"),
        ("receiver's node locked", vec![lock(90, BOBS)], ReceiverLocked, "Q09"),
    ];
    for (name, hindrance, reason, code) in table {
        let world = given([vec![fund(ANNS, 100)], hindrance, vec![pay(1, 60)]].concat());
        assert_eq!((of(&world).status, of(&world).queue.clone()), (Status::Queued, vec![reason]), "{name}");
        assert_eq!(reason.code(), code, "{name}");
        let Account { posted, held, .. } = world.account(ANNS, Currency::USD);
        assert_eq!((posted, held), (100, 60), "{name}: keeps its hold");
    }
    assert_eq!(of(&over_the_limit()).queue, [QueueReason::DailyLimit]);
    assert_eq!(QueueReason::DailyLimit.code(), "Q10");
}

#[test]
fn queue_lists_every_reason() {
    use QueueReason::{ReceiverLocked, ReceiverPermission, SenderLocked, SenderPermission};
    let hindrances = [permit(ANN, Unverified).into(), permit(BOB, Unverified).into()];
    let locks = [lock(90, BOBS), lock(91, ANNS)];
    let world = given(hindrances.into_iter().chain(locks).chain([pay(1, 60)]));
    assert_eq!(of(&world).queue, [SenderPermission, ReceiverPermission, SenderLocked, ReceiverLocked]);
}

#[test]
fn caller_may_queue_payment_before_debit() {
    let by = Origin::simulated();
    let world = given([fund(ANNS, 100), pay(1, 60)]);
    let world = world.when(queue(1, QueueReason::Risk)).then([queued(&[QueueReason::Risk], by)]);
    let both = [QueueReason::Risk, QueueReason::SenderNotAuthorised];
    let world = world.when(queue(1, both[1])).then([queued(&both, by)]);
    world.clone().when(queue(1, QueueReason::Risk)).then([]);
    // A queued payment takes no step.
    world.clone().when(debit(1)).then([]);
    world
        .when(simulate(1, crate::transaction::advance::Step::Debit))
        .refused(Refusal::NoNextStep(Status::Queued));
}

#[test]
fn started_or_finished_payment_is_not_queued() {
    let way = [fund(ANNS, 100), pay(1, 60), debit(1), credit(1), settle(1)];
    let table = [(3, Status::ProcessingDebit), (4, Status::ProcessingCredit), (5, Status::Settled)];
    for (taken, status) in table {
        let world = given(way[..taken].to_vec());
        world.when(queue(1, QueueReason::Risk)).refused(Refusal::CannotQueue(status));
    }
    let canceled = given([pay(1, 60), ask_cancel(1).into()]);
    canceled.when(queue(1, QueueReason::Risk)).refused(Refusal::CannotQueue(Status::Canceled));
}

#[test]
fn unknown_or_foreign_payment_is_refused() {
    let foreign = PlatformId::from_u128(PLATFORM.as_u128() + 1);
    let world = || given([fund(ANNS, 100), pay(1, 60)]);
    world().when(Queue { platform: foreign, ..queue(1, QueueReason::Risk) }).refused(Refusal::Unknown);
    world().when(queue(2, QueueReason::Risk)).refused(Refusal::Unknown);
    world().when(Release { platform: Some(foreign), ..let_go(1) }).refused(Refusal::Unknown);
    world().when(look_again(2)).refused(Refusal::Unknown);
}

#[test]
fn caller_reasons_are_parsed_by_code() {
    let given = [
        ("Q10", QueueReason::Risk),
        ("Q46", QueueReason::SenderNotAuthorised),
        ("Q47", QueueReason::ReceiverNotAuthorised),
    ];
    for (code, reason) in given {
        assert_eq!(QueueReason::parse(code), Some(reason));
        assert!(reason.is_given());
    }
    for code in ["Q06", "Q07", "Q08", "Q09", "Q11", ""] {
        assert_eq!(QueueReason::parse(code), None, "{code}");
    }
}
