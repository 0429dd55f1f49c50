//! Order of the steps, and their refusals.

use super::*;
use crate::Command;
use crate::node::{Allowed, Created};
use crate::posting::LedgerAccount;
use crate::testing::RestrictedWorld;
use crate::testing::fixture::{FILE, PAYEE, WIRED, cut, cut_as, flows, node, pay_out, statement, way};
use crate::transaction::Direction;

fn advance(number: u128, step: Step) -> Advance {
    Advance { id: transaction(number), step, waits_for_bank: false, origin: ORIGIN }
}

#[test]
fn missing_node_can_neither_send_nor_receive() {
    // A state that the writer failed to load must not permit a payment.
    let world = given([fund(ANNS, 100), pay(1, 60)]);
    let all: Vec<Key> = world.states().map(|(key, _)| *key).collect();
    for (node, reason) in [(ANNS, CancelReason::SenderNotAllowed), (BOBS, CancelReason::ReceiverNotAllowed)] {
        let keys = all.iter().copied().filter(|key| *key != Key::from(node)).collect();
        let facts = advance(1, Step::Debit).decide(&RestrictedWorld { world: &world, keys }, world.now());
        assert_eq!(facts.map(|facts| facts.first().cloned()), Ok(Some(canceled(reason))));
    }
}

#[test]
fn step_out_of_order_changes_nothing() {
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
fn sandbox_step_out_of_order_is_refused() {
    let late = Refusal::NoNextStep(Status::ProcessingDebit);
    given([fund(ANNS, 100), pay(1, 60), debit(1)]).when(simulate(1, Step::Debit)).refused(late);
    let over = Refusal::NoNextStep(Status::Canceled);
    given([pay(1, 60), debit(1)]).when(simulate(1, Step::Debit)).refused(over);
}

#[test]
fn canceled_payment_stays_canceled() {
    for step in [debit(1), credit(1), settle(1)] {
        given([pay(1, 60), debit(1), fund(ANNS, 100)]).when(step).then([]);
    }
}

#[test]
fn every_flow_settles_through_its_files() {
    for create in flows() {
        let flow = format!("{} to {}", create.from, create.to);
        let world = given([fund(ANNS, 100)].into_iter().chain(way(&create)));
        assert_eq!(status(&world, 1), Some(Status::Settled), "{flow}");
        assert_eq!(world.transaction(transaction(1)).map(|it| it.net.on(LedgerAccount::Transit)), Some(0));
    }
}

#[test]
fn credit_waits_for_the_pull_file() {
    let waits = given([pull(1, 60), debit(1)]).when(credit(1)).then([]);
    let left = cut_as(1, Direction::Pull, Rail::Ach, FILE);
    let world = waits.clone().when(left).accepted().when(credit(1)).accepted();
    assert_eq!(status(&world, 1), Some(Status::ProcessingCredit));
    // The sandbox does not wait for the file; the next step of a process does.
    let ahead = waits.when(simulate(1, Step::Credit)).accepted();
    ahead.when(settle(1)).then([]);
}

#[test]
fn settlement_waits_for_the_push_file() {
    let waits = given([fund(ANNS, 100), pay_out(1, 60), debit(1), credit(1)]).when(settle(1)).then([]);
    let world = waits.clone().when(cut(1)).accepted().when(settle(1)).accepted();
    assert_eq!(status(&world, 1), Some(Status::Settled));
    let world = waits.when(simulate(1, Step::Settle)).accepted();
    assert_eq!(status(&world, 1), Some(Status::Settled));
}

#[test]
fn bank_confirmation_is_needed_for_pushes_only() {
    let patient = || Command::Advance(Advance { waits_for_bank: true, ..advance(1, Step::Settle) });
    let within = given([fund(ANNS, 100), pay(1, 60), debit(1), credit(1)]).when(patient()).accepted();
    assert_eq!(status(&within, 1), Some(Status::Settled));

    let pushed = [fund(ANNS, 100), pay_out(1, 60), debit(1), credit(1), cut(1)];
    let waits = given(pushed).when(patient()).then([]);
    assert!(waits.transaction(transaction(1)).is_some_and(Transaction::waits_for_bank));
    let asked = waits.clone().when(settle(1)).accepted();
    assert_eq!(status(&asked, 1), Some(Status::Settled));
    let stated = waits.when(statement(0, 0, &[(-60, 1)])).accepted().when(patient()).accepted();
    assert_eq!(status(&stated, 1), Some(Status::Settled));
}

#[test]
fn money_is_pulled_from_ach_nodes_only() {
    for (id, kind, owner) in [(WIRED, NodeKind::WireUs, BOB), (PAYEE, NodeKind::CheckUs, ANN)] {
        let mut world = given([]);
        let other = crate::NodeId::from_u128(id.as_u128() + 100);
        let debitable = Created { allowed: Allowed::CreditAndDebit, ..node(other, owner, kind).created() };
        world.record(&[NewEvent::new(other, debitable)]);
        let create = Create { by: owner, from: other, to: HOUSE, ..payment(1, 60) };
        let world = world.when(create).accepted();
        assert_eq!(status(&world, 1), Some(Status::Canceled), "{}", kind.as_str());
    }
}

#[test]
fn unknown_transaction_is_refused() {
    given([]).when(debit(1)).refused(Refusal::Unknown);
}

#[test]
fn credit_beyond_the_integers_is_refused() {
    let mut world = given([fund(ANNS, 100), pay(1, 60), debit(1)]);
    // Far beyond any sum of amounts within their limit.
    world.record(&[entry(BOBS, transaction(9), (i64::MAX, 0, i64::MAX - 59), (i64::MAX, 0, i64::MAX - 59))]);
    world.when(credit(1)).refused(Refusal::OutOfRange);
}

#[test]
fn decision_reads_only_the_needed_states() {
    let create = Create { fees: vec![fee(FEES, 7)], ..payment(1, 60) };
    let mut world = given([fund(ANNS, 100), create.into()]);
    for step in [Step::Debit, Step::Credit, Step::Settle] {
        let command = Command::from(advance(1, step));
        let known = RestrictedWorld::needed(&world, &command);
        let now = world.now();
        assert_eq!(command.decide(&known, now), command.decide(&world, now), "{step:?}");
        world = world.when(command).accepted();
    }
    assert_eq!(status(&world, 1), Some(Status::Settled));
}
