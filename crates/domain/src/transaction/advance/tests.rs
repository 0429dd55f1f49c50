use super::*;
use crate::Command;
use crate::account::Account;
use crate::money::Currency;
use crate::node::NodeKind;
use crate::posting::{Posting, Postings};
use crate::testing::fixture::{
    ANNS, BOBS, CAT, CATS, DAN, DANS, FEES, HOUSE, OWNER, TIPS, credit, debit, entry, fee, fund, happened,
    on_node, on_transit, pay, payment, settle, transaction,
};
use crate::testing::{World, given};
use crate::time::DAY_MS;
use crate::transaction::create::Create;

fn postings(lines: &[Posting]) -> Postings {
    Postings::new(Currency::USD, lines.to_vec()).expect("balanced")
}

/// `posted`, `held` and `pending_in` of a node.
fn numbers(world: &World, node: crate::NodeId) -> (i64, i64, i64) {
    let Account { posted, held, pending_in, .. } = world.account(node, Currency::USD);
    (posted, held, pending_in)
}

fn status(world: &World, number: u128) -> Option<Status> {
    world.transaction(transaction(number)).map(|transaction| transaction.status)
}

fn canceled(reason: CancelReason) -> Fact {
    happened(1, Canceled { reason, postings: None })
}

#[test]
fn the_debit_takes_what_was_held() {
    let moved = postings(&[on_node(ANNS, 60), on_transit(-60)]);
    given([fund(ANNS, 100), pay(1, 60)]).when(debit(1)).then([
        happened(1, DebitStarted { postings: moved }),
        entry(ANNS, transaction(1), (-60, -60, 0), (40, 0, 0)),
    ]);
}

#[test]
fn the_credit_announces_what_the_receiver_will_get() {
    given([fund(ANNS, 100), pay(1, 60), debit(1)]).when(credit(1)).then([
        happened(1, CreditStarted { pending_in: 60 }),
        entry(BOBS, transaction(1), (0, 0, 60), (0, 0, 60)),
    ]);
}

#[test]
fn the_settlement_gives_it() {
    let moved = postings(&[on_transit(60), on_node(BOBS, -60)]);
    given([fund(ANNS, 100), pay(1, 60), debit(1), credit(1)]).when(settle(1)).then([
        happened(1, Settled { postings: moved }),
        entry(BOBS, transaction(1), (60, 0, -60), (60, 0, 0)),
    ]);
}

/// The world after `create` went all the way, 100 on the sender before.
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
fn while_under_way_only_the_net_is_announced() {
    let create = Create { fees: vec![fee(FEES, 60)], ..payment(1, 60) };
    given([fund(ANNS, 100), create.into(), debit(1)])
        .when(credit(1))
        .then([happened(1, CreditStarted { pending_in: 0 })]);
}

#[test]
fn a_fee_node_may_be_the_receiver() {
    let create = Create { to: FEES, to_kind: NodeKind::LedgerUs, fees: vec![fee(FEES, 7)], ..payment(1, 60) };
    let moved = postings(&[on_transit(60), on_node(FEES, -53), on_node(FEES, -7)]);
    given([fund(ANNS, 100), create.into(), debit(1), credit(1)]).when(settle(1)).then([
        happened(1, Settled { postings: moved }),
        entry(FEES, transaction(1), (60, 0, -53), (60, 0, 0)),
    ]);
}

#[test]
fn a_fee_node_may_be_the_sender() {
    let create = Create { by: OWNER, from: FEES, to: ANNS, fees: vec![fee(FEES, 7)], ..payment(1, 60) };
    let world = given([fund(FEES, 100), create.into(), debit(1), credit(1), settle(1)]);
    assert_eq!([FEES, ANNS].map(|node| numbers(&world, node)), [(47, 0, 0), (53, 0, 0)]);
}

#[test]
fn funds_that_came_meanwhile_are_taken_when_due() {
    let moved = postings(&[on_node(ANNS, 60), on_transit(-60)]);
    given([pay(1, 60), fund(ANNS, 60)]).when(debit(1)).then([
        happened(1, DebitStarted { postings: moved }),
        entry(ANNS, transaction(1), (-60, 0, 0), (0, 0, 0)),
    ]);
}

#[test]
fn too_little_when_due_cancels_with_the_numbers() {
    let shortfall = Shortfall { needed: 60, available: 40, held: 60 };
    let scarce = Create { id: transaction(1), ..payment(1, 60) };
    given([fund(ANNS, 100), pay(2, 60), scarce.into()])
        .when(debit(1))
        .then([canceled(CancelReason::InsufficientFunds(shortfall))]);
}

#[test]
fn what_the_first_was_promised_the_second_cannot_take() {
    // The second is due first; the hold of the first stands.
    let world = given([fund(ANNS, 100), pay(1, 60), pay(2, 60), debit(2), debit(1), credit(1), settle(1)]);
    assert_eq!((status(&world, 1), status(&world, 2)), (Some(Status::Settled), Some(Status::Canceled)));
    assert_eq!([ANNS, BOBS].map(|node| numbers(&world, node)), [(40, 0, 0), (60, 0, 0)]);
}

#[test]
fn a_scheduled_payment_waits_for_its_day_and_takes_what_is_there_then() {
    let scheduled = Create { in_days: 1, ..payment(1, 60) };
    let early = given([fund(ANNS, 100), scheduled.clone().into()]).later(DAY_MS - 1).when(debit(1)).then([]);
    let world = early.later(1).when(debit(1)).accepted();
    assert_eq!((status(&world, 1), numbers(&world, ANNS)), (Some(Status::ProcessingDebit), (40, 0, 0)));
    let spent = given([fund(ANNS, 100), scheduled.into(), pay(2, 50)]).later(DAY_MS);
    let shortfall = Shortfall { needed: 60, available: 50, held: 50 };
    spent.when(debit(1)).then([canceled(CancelReason::InsufficientFunds(shortfall))]);
}

#[test]
fn who_is_not_verified_can_neither_send_nor_receive() {
    let from_dan = Create { by: DAN, from: DANS, ..payment(1, 60) };
    given([fund(DANS, 100), from_dan.into()]).when(debit(1)).then([
        canceled(CancelReason::SenderPermission),
        entry(DANS, transaction(1), (0, -60, 0), (100, 0, 0)),
    ]);
    let to_dan = Create { to: DANS, ..payment(1, 60) };
    given([fund(ANNS, 100), to_dan.into()]).when(debit(1)).then([
        canceled(CancelReason::ReceiverPermission),
        entry(ANNS, transaction(1), (0, -60, 0), (100, 0, 0)),
    ]);
}

#[test]
fn who_may_only_receive_may_send_to_the_platform_alone() {
    let from_cat = |to| Create { by: CAT, from: CATS, to, ..payment(1, 60) };
    given([fund(CATS, 100), from_cat(BOBS).into()]).when(debit(1)).then([
        canceled(CancelReason::SenderPermission),
        entry(CATS, transaction(1), (0, -60, 0), (100, 0, 0)),
    ]);
    let world = given([fund(CATS, 100), from_cat(HOUSE).into(), debit(1), credit(1), settle(1)]);
    assert_eq!([CATS, HOUSE].map(|node| numbers(&world, node)), [(40, 0, 0), (60, 0, 0)]);
    let world = settled(Create { to: CATS, ..payment(1, 60) });
    assert_eq!(numbers(&world, CATS), (60, 0, 0));
}

#[test]
fn what_is_not_there_may_neither_send_nor_receive() {
    // A state that the writer forgot to load must not open the door.
    let world = given([fund(ANNS, 100), pay(1, 60)]);
    let blind = |hidden| Hidden { world: &world, hidden };
    for (node, reason) in [(ANNS, CancelReason::SenderNotAllowed), (BOBS, CancelReason::ReceiverNotAllowed)] {
        let facts =
            Advance { id: transaction(1), step: Step::Debit }.decide(&blind(node.into()), world.now());
        assert_eq!(facts.map(|facts| facts.first().cloned()), Ok(Some(canceled(reason))));
    }
}

struct Hidden<'a> {
    world: &'a World,
    hidden: Key,
}

impl States for Hidden<'_> {
    fn state(&self, key: Key) -> Option<&crate::State> {
        self.world.state(key).filter(|_| key != self.hidden)
    }
}

#[test]
fn a_step_that_was_taken_or_is_not_next_changes_nothing() {
    let steps = [debit(1), credit(1), settle(1)];
    for taken in 0..=steps.len() {
        let history = [fund(ANNS, 100), pay(1, 60)].into_iter().chain(steps[..taken].to_vec());
        let world = given(history);
        for (index, step) in steps.iter().enumerate().filter(|(index, _)| *index != taken) {
            assert_eq!(world.clone().submit(step), Ok(vec![]), "step {index} after {taken}");
        }
    }
}

#[test]
fn a_canceled_payment_stays_canceled() {
    for step in [debit(1), credit(1), settle(1)] {
        given([pay(1, 60), debit(1), fund(ANNS, 100)]).when(step).then([]);
    }
}

#[test]
fn an_unknown_transaction_is_refused() {
    given([]).when(debit(1)).refused(Refusal::Unknown);
}

#[test]
fn a_receiver_who_cannot_hold_more_is_refused_and_nothing_moves() {
    let mut world = given([fund(ANNS, 100), pay(1, 60), debit(1)]);
    // Far beyond what amounts within their limit could ever sum up to.
    world.record(&[entry(BOBS, transaction(9), (i64::MAX, 0, i64::MAX - 59), (i64::MAX, 0, i64::MAX - 59))]);
    world.when(credit(1)).refused(Refusal::OutOfRange);
}

#[test]
fn the_states_asked_for_are_all_that_the_decision_looks_at() {
    let create = Create { fees: vec![fee(FEES, 7)], ..payment(1, 60) };
    let mut world = given([fund(ANNS, 100), create.into()]);
    for step in [Step::Debit, Step::Credit, Step::Settle] {
        let advance = Advance { id: transaction(1), step };
        let known = Only { world: &world, keys: advance.needs(&world) };
        assert_eq!(advance.decide(&known, world.now()), advance.decide(&world, world.now()), "{step:?}");
        world = world.when(Command::Advance(advance)).accepted();
    }
    assert_eq!(status(&world, 1), Some(Status::Settled));
}

/// A world of which only some states can be seen.
struct Only<'a> {
    world: &'a World,
    keys: Vec<Key>,
}

impl States for Only<'_> {
    fn state(&self, key: Key) -> Option<&crate::State> {
        self.world.state(key).filter(|_| self.keys.contains(&key))
    }
}
