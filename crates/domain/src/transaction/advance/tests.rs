use super::*;
use crate::account::Account;
use crate::money::Currency;
use crate::node::NodeKind;
use crate::posting::Rail;
use crate::testing::fixture::{
    ANN, ANNS, BOB, BOBS, BOBS_BANK, CAT, CATS, DAN, DANS, FEES, HOUSE, OWNER, TIPS, between, counted,
    credit, debit, entry, fee, fund, happened, on_node, on_rail_in, on_rail_out, on_transit, pay, payment,
    permit, postings, pull, settle, simulate, transaction,
};
use crate::testing::{World, given};
use crate::time::DAY_MS;
use crate::transaction::QueueReason;
use crate::transaction::create::Create;
use crate::user::Permission::{Receive, Unverified};

const ORIGIN: Origin = Origin::PROCESS;

/// `posted`, `held` and `pending_in` of a node's account.
fn numbers(world: &World, node: crate::NodeId) -> (i64, i64, i64) {
    let Account { posted, held, pending_in, .. } = world.account(node, Currency::USD);
    (posted, held, pending_in)
}

fn status(world: &World, number: u128) -> Option<Status> {
    world.transaction(transaction(number)).map(|transaction| transaction.status)
}

fn canceled(reason: CancelReason) -> NewEvent {
    happened(1, Canceled { reason, postings: None, origin: ORIGIN })
}

fn queued(reason: QueueReason) -> NewEvent {
    happened(1, Queued { reasons: vec![reason], waits_for: vec![], origin: ORIGIN })
}

#[test]
fn debit_takes_the_held_amount() {
    let moved = postings(&[on_node(ANNS, 60), on_transit(-60)]);
    given([fund(ANNS, 100), pay(1, 60)]).when(debit(1)).then([
        happened(1, DebitStarted { postings: moved, origin: ORIGIN }),
        counted(entry(ANNS, transaction(1), (-60, -60, 0), (40, 0, 0)), 100, 60),
    ]);
}

#[test]
fn credit_announces_the_net_to_receiver() {
    given([fund(ANNS, 100), pay(1, 60), debit(1)]).when(credit(1)).then([
        happened(1, CreditStarted { pending_in: 60, postings: None, origin: ORIGIN }),
        entry(BOBS, transaction(1), (0, 0, 60), (0, 0, 60)),
    ]);
}

#[test]
fn settlement_pays_the_receiver() {
    let moved = postings(&[on_transit(60), on_node(BOBS, -60)]);
    given([fund(ANNS, 100), pay(1, 60), debit(1), credit(1)]).when(settle(1)).then([
        happened(1, Settled { postings: Some(moved), origin: ORIGIN }),
        counted(entry(BOBS, transaction(1), (60, 0, -60), (60, 0, 0)), 60, 0),
    ]);
}

#[test]
fn net_leaves_at_credit_fee_at_settlement() {
    let create = Create { fees: vec![fee(FEES, 7)], ..between(1, ANNS, BOBS_BANK, 60) };
    let sent = postings(&[on_transit(53), on_rail_out(Rail::Ach, -53)]);
    let world = given([fund(ANNS, 100), create.into(), debit(1)])
        .when(credit(1))
        .then([happened(1, CreditStarted { pending_in: 0, postings: Some(sent), origin: ORIGIN })]);
    let earned = postings(&[on_transit(7), on_node(FEES, -7)]);
    world.when(simulate(1, Step::Settle)).then([
        happened(1, Settled { postings: Some(earned), origin: Origin::simulated() }),
        counted(entry(FEES, transaction(1), (7, 0, 0), (7, 0, 0)), 7, 0),
    ]);
}

#[test]
fn pulled_money_is_owed_by_the_rail() {
    let moved = postings(&[on_rail_in(Rail::Ach, 60), on_transit(-60)]);
    given([pull(1, 60)]).when(debit(1)).then([happened(1, DebitStarted { postings: moved, origin: ORIGIN })]);
}

/// The world after `create` is settled; the sender had 100 before.
fn settled(create: Create) -> World {
    given([fund(ANNS, 100), create.into(), debit(1), credit(1), settle(1)])
}

#[test]
fn fees_come_out_of_the_amount() {
    let table = [
        ("none", vec![], (60, 0, 0)),
        ("one", vec![fee(FEES, 1)], (59, 1, 0)),
        ("several", vec![fee(FEES, 10), fee(TIPS, 7)], (43, 10, 7)),
        ("several to one node", vec![fee(FEES, 10), fee(FEES, 7)], (43, 17, 0)),
        ("everything", vec![fee(FEES, 59), fee(TIPS, 1)], (0, 59, 1)),
    ];
    for (name, fees, (bobs, house, tips)) in table {
        let world = settled(Create { fees, ..payment(1, 60) });
        assert_eq!(status(&world, 1), Some(Status::Settled), "{name}");
        let posted = [ANNS, BOBS, FEES, TIPS].map(|node| numbers(&world, node));
        assert_eq!(posted, [(40, 0, 0), (bobs, 0, 0), (house, 0, 0), (tips, 0, 0)], "{name}");
    }
}

#[test]
fn credit_announces_only_the_net() {
    let create = Create { fees: vec![fee(FEES, 60)], ..payment(1, 60) };
    given([fund(ANNS, 100), create.into(), debit(1)])
        .when(credit(1))
        .then([happened(1, CreditStarted { pending_in: 0, postings: None, origin: ORIGIN })]);
}

#[test]
fn fee_node_may_be_the_receiver() {
    let create = Create { to: FEES, to_kind: NodeKind::LedgerUs, fees: vec![fee(FEES, 7)], ..payment(1, 60) };
    let moved = postings(&[on_transit(60), on_node(FEES, -53), on_node(FEES, -7)]);
    given([fund(ANNS, 100), create.into(), debit(1), credit(1)]).when(settle(1)).then([
        happened(1, Settled { postings: Some(moved), origin: ORIGIN }),
        counted(entry(FEES, transaction(1), (60, 0, -53), (60, 0, 0)), 60, 0),
    ]);
}

#[test]
fn fee_node_may_be_the_sender() {
    let create = Create { by: OWNER, from: FEES, to: ANNS, fees: vec![fee(FEES, 7)], ..payment(1, 60) };
    let world = given([fund(FEES, 100), create.into(), debit(1), credit(1), settle(1)]);
    assert_eq!([FEES, ANNS].map(|node| numbers(&world, node)), [(47, 0, 0), (53, 0, 0)]);
}

#[test]
fn late_funds_are_taken_at_debit() {
    let moved = postings(&[on_node(ANNS, 60), on_transit(-60)]);
    given([pay(1, 60), fund(ANNS, 60)]).when(debit(1)).then([
        happened(1, DebitStarted { postings: moved, origin: ORIGIN }),
        counted(entry(ANNS, transaction(1), (-60, 0, 0), (0, 0, 0)), 60, 60),
    ]);
}

#[test]
fn shortfall_at_debit_cancels_with_amounts() {
    let shortfall = Shortfall { needed: 60, available: 40, held: 60 };
    given([fund(ANNS, 100), pay(2, 60), pay(1, 60)])
        .when(debit(1))
        .then([canceled(CancelReason::InsufficientFunds(shortfall))]);
}

#[test]
fn second_payment_cannot_take_held_money() {
    // The second payment is due first; the hold of the first one stands.
    let world = given([fund(ANNS, 100), pay(1, 60), pay(2, 60), debit(2), debit(1), credit(1), settle(1)]);
    assert_eq!((status(&world, 1), status(&world, 2)), (Some(Status::Settled), Some(Status::Canceled)));
    assert_eq!([ANNS, BOBS].map(|node| numbers(&world, node)), [(40, 0, 0), (60, 0, 0)]);
}

#[test]
fn scheduled_payment_takes_funds_of_its_day() {
    let scheduled = Create { in_days: 1, ..payment(1, 60) };
    let early = given([fund(ANNS, 100), scheduled.clone().into()]).later(DAY_MS - 1).when(debit(1)).then([]);
    let world = early.later(1).when(debit(1)).accepted();
    assert_eq!((status(&world, 1), numbers(&world, ANNS)), (Some(Status::ProcessingDebit), (40, 0, 0)));
    let spent = given([fund(ANNS, 100), scheduled.into(), pay(2, 50)]).later(DAY_MS);
    let shortfall = Shortfall { needed: 60, available: 50, held: 50 };
    spent.when(debit(1)).then([canceled(CancelReason::InsufficientFunds(shortfall))]);
}

#[test]
fn sandbox_step_ignores_the_due_day() {
    let scheduled = Create { in_days: 1, ..payment(1, 60) };
    let world = given([fund(ANNS, 100), scheduled.into()]).when(simulate(1, Step::Debit)).accepted();
    assert_eq!(status(&world, 1), Some(Status::ProcessingDebit));
}

#[test]
fn lost_permission_queues_payment_at_debit() {
    let table = [
        (permit(ANN, Receive), QueueReason::SenderPermission),
        (permit(BOB, Unverified), QueueReason::ReceiverPermission),
    ];
    for (permit, reason) in table {
        let world = given([fund(ANNS, 100), pay(1, 60), permit.into()]);
        let world = world.when(debit(1)).then([queued(reason)]);
        assert_eq!(numbers(&world, ANNS), (100, 60, 0), "keeps its hold");
        world.when(debit(1)).then([]);
    }
}

#[test]
fn payments_of_unverified_users_are_queued() {
    let from_dan = Create { by: DAN, from: DANS, ..payment(1, 60) };
    let to_dan = Create { to: DANS, ..payment(1, 60) };
    for (create, from) in [(from_dan, DANS), (to_dan, ANNS)] {
        let world = given([fund(from, 100), create.into()]);
        assert_eq!((status(&world, 1), numbers(&world, from)), (Some(Status::Queued), (100, 60, 0)));
        world.when(debit(1)).then([]);
    }
}

#[test]
fn receive_only_user_may_pay_platform_only() {
    let from_cat = |to| Create { by: CAT, from: CATS, to, ..payment(1, 60) };
    let waits = given([fund(CATS, 100), from_cat(BOBS).into()]);
    assert_eq!(status(&waits, 1), Some(Status::Queued));
    let world = given([fund(CATS, 100), from_cat(HOUSE).into(), debit(1), credit(1), settle(1)]);
    assert_eq!([CATS, HOUSE].map(|node| numbers(&world, node)), [(40, 0, 0), (60, 0, 0)]);
    let world = settled(Create { to: CATS, ..payment(1, 60) });
    assert_eq!(numbers(&world, CATS), (60, 0, 0));
}

mod order;
