use super::*;
use crate::money::Currency;
use crate::posting::{Net, Posting};
use crate::testing::fixture::{
    ANNS, BOBS, CATS, FEES, OUTSIDE, TIPS, credit, debit, fee, fund, income, on_node, on_transit, payment,
    settle, transaction,
};
use crate::testing::{World, given};
use crate::transaction::Fee;
use crate::transaction::create::Create;

/// A payment of 60 from Ann to Bob with `fees`, after this many steps.
fn under_way(fees: Vec<Fee>, steps: usize) -> World {
    let create = Create { fees, ..payment(1, 60) };
    let steps = [debit(1), credit(1), settle(1)].into_iter().take(steps);
    given([fund(ANNS, 100), create.into()].into_iter().chain(steps))
}

fn the(world: &World) -> &Transaction {
    world.transaction(transaction(1)).expect("created")
}

fn lines(movement: &Movement) -> Vec<Posting> {
    movement.postings.iter().flat_map(Postings::lines).copied().collect()
}

fn change(movement: &Movement, node: NodeId) -> (i64, i64, i64) {
    let change = movement.changes.get(&node).copied().unwrap_or_default();
    (change.posted, change.held, change.pending_in)
}

#[test]
fn each_step_posts_what_the_table_says() {
    let fees = || vec![fee(FEES, 10), fee(TIPS, 7)];
    let held = hold(ANNS, payment(1, 60).amount);
    assert_eq!((lines(&held), change(&held, ANNS)), (vec![], (0, 60, 0)));

    let debited = super::debit(the(&under_way(fees(), 0)));
    assert_eq!(lines(&debited), [on_node(ANNS, 60), on_transit(-60)]);
    assert_eq!(change(&debited, ANNS), (-60, -60, 0));

    let credited = super::credit(the(&under_way(fees(), 1)));
    assert_eq!((lines(&credited), change(&credited, BOBS)), (vec![], (0, 0, 43)));

    let settled = super::settle(the(&under_way(fees(), 2)));
    assert_eq!(lines(&settled), [on_transit(60), on_node(BOBS, -43), on_node(FEES, -10), on_node(TIPS, -7)]);
    assert_eq!([BOBS, FEES, TIPS].map(|node| change(&settled, node)), [(43, 0, -43), (10, 0, 0), (7, 0, 0)]);
}

#[test]
fn nothing_is_posted_to_a_receiver_who_gets_nothing() {
    let settled = super::settle(the(&under_way(vec![fee(FEES, 60)], 2)));
    assert_eq!(lines(&settled), [on_transit(60), on_node(FEES, -60)]);
    assert!(!settled.changes.contains_key(&BOBS));
}

#[test]
fn money_from_outside_is_owed_by_the_rail() {
    let Money { minor, currency } = income(ANNS, 100).amount;
    let received = receive(Rail::Ach, ANNS, Money::new(minor, currency));
    let pulled = Posting { account: LedgerAccount::RailIn(Rail::Ach), amount: 100 };
    assert_eq!(lines(&received), [pulled, on_node(ANNS, -100)]);
    assert_eq!(change(&received, ANNS), (100, 0, 0));
}

#[test]
fn an_unwind_takes_every_cent_back_from_wherever_it_lies() {
    // Before the debit, in transit, announced, given: the numbers of all four are as they were before.
    for steps in 0..=3 {
        let mut world = under_way(vec![fee(FEES, 10), fee(TIPS, 7)], steps);
        let unwound = unwind(the(&world));
        let mut net = the(&world).net.clone();
        unwound.postings.iter().for_each(|postings| net.add(postings));
        assert_eq!(net, Net::new(Currency::USD), "after {steps} steps");
        let entries = unwound.entries(&world, Currency::USD, Limit::Zero, transaction(1)).expect("covered");
        world.record(&entries);
        for (node, posted) in [(ANNS, 100), (BOBS, 0), (FEES, 0), (TIPS, 0)] {
            let account = world.account(node, Currency::USD);
            let numbers = (account.posted, account.held, account.pending_in);
            assert_eq!(numbers, (posted, 0, 0), "{node} after {steps} steps");
        }
    }
}

#[test]
fn an_unwind_of_what_did_nothing_does_nothing() {
    let world = given([payment(1, 60).into()]);
    assert_eq!(unwind(the(&world)), Movement::default());
}

#[test]
fn a_movement_that_one_account_cannot_make_is_made_by_none() {
    let world = given([fund(ANNS, 59)]);
    let taking =
        Postings::transfer(Currency::USD, LedgerAccount::Node(ANNS), &[(LedgerAccount::Node(BOBS), 60)]);
    let shortfall = Shortfall { needed: 60, available: 59, held: 0 };
    let entries = Movement::of(Some(taking)).entries(&world, Currency::USD, Limit::Zero, transaction(1));
    assert_eq!(entries, Err(shortfall));
}

#[test]
fn several_lines_of_one_account_are_one_entry() {
    let to =
        [(LedgerAccount::Node(BOBS), 20), (LedgerAccount::Node(CATS), 5), (LedgerAccount::Node(BOBS), 30)];
    let movement = Movement::of(Some(Postings::transfer(Currency::USD, LedgerAccount::Transit, &to)));
    assert_eq!([BOBS, CATS, OUTSIDE].map(|node| change(&movement, node)), [(50, 0, 0), (5, 0, 0), (0, 0, 0)]);
}
