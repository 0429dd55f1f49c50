use super::*;
use crate::account::Shortfall;
use crate::actor::Actor;
use crate::testing::fixture::{
    ANN, ANNS, BOB, BOBS, BOBS_BANK, PLATFORM, bounce, cancel as ask, counted, credit, debit, entry, flows,
    fund, happened, look_again, on_node, on_transit, pay, pay_out, postings, queue, settle, transaction, way,
};
use crate::testing::{World, given};
use crate::transaction::{Canceled, QueueReason};

const BY_ANN: Origin = Origin::of(Actor::User(ANN));

fn canceled(postings: Option<crate::posting::Postings>) -> NewEvent {
    happened(1, Canceled { reason: CancelReason::Requested, postings, origin: BY_ANN })
}

fn of(world: &World) -> &Transaction {
    world.transaction(transaction(1)).expect("created")
}

#[test]
fn waiting_payment_ends_and_releases_hold() {
    let released = counted(entry(ANNS, transaction(1), (0, -60, 0), (100, 0, 0)), 100, 0);
    given([fund(ANNS, 100), pay(1, 60)]).when(ask(1)).then([canceled(None), released.clone()]);
    let queued = given([fund(ANNS, 100), pay(1, 60), queue(1, QueueReason::Risk).into()]);
    let world = queued.when(ask(1)).then([canceled(None), released]);
    assert_eq!((of(&world).status, of(&world).queue.len(), of(&world).hold), (Status::Canceled, 0, 0));
    world.when(look_again(1)).then([]);
}

#[test]
fn unfunded_payment_ends_without_an_entry() {
    given([pay(1, 60)]).when(ask(1)).then([canceled(None)]);
}

#[test]
fn outgoing_debit_is_reversed_before_cut() {
    let back = postings(&[on_node(ANNS, -60), on_transit(60)]);
    // A reversal does not count towards the day, in either direction.
    let given_back = counted(entry(ANNS, transaction(1), (60, 0, 0), (100, 0, 0)), 100, 60);
    given([fund(ANNS, 100), pay_out(1, 60), debit(1)]).when(ask(1)).then([canceled(Some(back)), given_back]);
}

/// Every flow after every step. A cancel is possible while the transaction waits, and after the debit for an external
/// bank account while the batch is open.
#[test]
fn late_cancel_is_refused_in_every_flow() {
    for create in flows() {
        let way = way(&create);
        for taken in 1..=way.len() {
            let world = given([fund(ANNS, 100)].into_iter().chain(way[..taken].to_vec()));
            let status = of(&world).status;
            let name = format!("{} to {} after {taken}: {status:?}", create.from, create.to);
            let answer = world.clone().submit(&ask(1).into());
            if taken == 1 || (taken == 2 && create.to == BOBS_BANK) {
                assert!(answer.is_ok(), "{name}: {answer:?}");
            } else {
                assert_eq!(answer, Err(Refusal::CannotCancel(status).into()), "{name}");
            }
        }
    }
}

#[test]
fn finished_transaction_cannot_be_canceled() {
    let history = vec![fund(ANNS, 100), pay(1, 60), debit(1), credit(1), settle(1)];
    given(history.clone()).when(ask(1)).refused(Refusal::CannotCancel(Status::Settled));
    let returned = [history, vec![bounce(1, "R01").into()]].concat();
    given(returned).when(ask(1)).refused(Refusal::CannotCancel(Status::Returned));
}

#[test]
fn repeated_cancel_is_refused() {
    let again = Refusal::CannotCancel(Status::Canceled);
    given([fund(ANNS, 100), pay(1, 60), ask(1).into()]).when(ask(1)).refused(again);
    // A transaction that ended by itself cannot be canceled either.
    let world = given([pay(1, 60), debit(1)]);
    let shortfall = Shortfall { needed: 60, available: 0, held: 0 };
    let reason = CancelReason::InsufficientFunds(shortfall);
    let ended = Canceled { reason, postings: None, origin: Origin::PROCESS };
    given([pay(1, 60)]).when(debit(1)).then([happened(1, ended)]);
    world.when(ask(1)).refused(again);
}

#[test]
fn steps_after_cancel_change_nothing() {
    let world = given([fund(ANNS, 100), pay(1, 60), ask(1).into()]);
    for step in [debit(1), credit(1), settle(1)] {
        world.clone().when(step).then([]);
    }
}

#[test]
fn only_sender_or_platform_may_cancel() {
    let world = || given([fund(ANNS, 100), pay(1, 60)]);
    let by = |user, node| Cancel { sender: Some((user, node)), ..ask(1) };
    world().when(by(ANN, ANNS)).accepted();
    world().when(Cancel { sender: None, ..ask(1) }).accepted();
    let foreign = Cancel { platform: PlatformId::from_u128(PLATFORM.as_u128() + 1), ..ask(1) };
    for command in [by(BOB, BOBS), by(ANN, BOBS), by(BOB, ANNS), foreign, ask(2)] {
        world().when(command).refused(Refusal::Unknown);
    }
}
