use super::*;
use crate::money::Currency;
use crate::posting::{Posting, Rail};
use crate::testing::fixture::{
    ANNS, BOBS, CATS, FEES, OUTSIDE, PLATFORM, PULLED, RESERVE, TIPS, WIRED, between, credit, debit, fee,
    fund, on_node, on_rail_in, on_rail_out, on_transit, payment, settle, transaction, way,
};
use crate::testing::{World, given};
use crate::transaction::Fee;
use crate::transaction::create::Create;

mod reversal;

/// A payment of 60 from Ann to Bob with `fees`, after `steps` steps.
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
fn steps_post_the_lines_of_the_table() {
    let fees = || vec![fee(FEES, 10), fee(TIPS, 7)];
    let held = hold(ANNS, payment(1, 60).amount);
    assert_eq!((lines(&held), change(&held, ANNS)), (vec![], (0, 60, 0)));

    let debited = super::debit(the(&under_way(fees(), 0)), &[]);
    assert_eq!(lines(&debited), [on_node(ANNS, 60), on_transit(-60)]);
    assert_eq!(change(&debited, ANNS), (-60, -60, 0));

    let credited = super::credit(the(&under_way(fees(), 1)));
    assert_eq!((lines(&credited), change(&credited, BOBS)), (vec![], (0, 0, 43)));

    let settled = super::settle(the(&under_way(fees(), 2)));
    assert_eq!(lines(&settled), [on_transit(60), on_node(BOBS, -43), on_node(FEES, -10), on_node(TIPS, -7)]);
    assert_eq!([BOBS, FEES, TIPS].map(|node| change(&settled, node)), [(43, 0, -43), (10, 0, 0), (7, 0, 0)]);
}

#[test]
fn receiver_with_zero_net_gets_no_line() {
    let settled = super::settle(the(&under_way(vec![fee(FEES, 60)], 2)));
    assert_eq!(lines(&settled), [on_transit(60), on_node(FEES, -60)]);
    assert!(!settled.changes.contains_key(&BOBS));
}

#[test]
fn outside_party_is_reached_by_rail() {
    let create = Create { fees: vec![fee(FEES, 10)], ..between(1, PULLED, WIRED, 60) };
    let after = |steps: usize| given(way(&create).into_iter().take(steps));
    assert_eq!(lines(&super::debit(the(&after(1)), &[])), [on_rail_in(Rail::Ach, 60), on_transit(-60)]);
    assert_eq!(lines(&super::credit(the(&after(3)))), [on_transit(50), on_rail_out(Rail::Wire, -50)]);
    assert_eq!(lines(&super::settle(the(&after(5)))), [on_transit(10), on_node(FEES, -10)]);
}

#[test]
fn external_transfer_posts_against_its_rail() {
    let (node, amount) = (LedgerAccount::Node(ANNS), payment(1, 60).amount);
    let received = immediate(LedgerAccount::RailIn(Rail::Ach), node, amount);
    assert_eq!(lines(&received), [on_rail_in(Rail::Ach, 60), on_node(ANNS, -60)]);
    assert_eq!(change(&received, ANNS), (60, 0, 0));
    let withdrawn = immediate(node, LedgerAccount::RailOut(Rail::Wire), amount);
    assert_eq!(lines(&withdrawn), [on_node(ANNS, 60), on_rail_out(Rail::Wire, -60)]);
    assert_eq!(change(&withdrawn, ANNS), (-60, 0, 0));
}

#[test]
fn reversal_of_unmoved_payment_is_empty() {
    let world = given([payment(1, 60).into()]);
    assert_eq!(reverse(the(&world)), Movement::default());
    assert_eq!(return_funds(the(&world), None, RESERVE), Movement::default());
}

#[test]
fn movement_fails_if_one_account_fails() {
    let world = given([fund(ANNS, 59)]);
    let taking =
        Postings::transfer(Currency::USD, LedgerAccount::Node(ANNS), &[(LedgerAccount::Node(BOBS), 60)]);
    let shortfall = Shortfall { needed: 60, available: 59, held: 0 };
    let context = PostingContext::forward(PLATFORM, transaction(1), world.now());
    assert_eq!(Movement::of(Some(taking)).entries(&world, Currency::USD, context), Err(shortfall));
}

#[test]
fn lines_of_one_account_share_an_entry() {
    let to =
        [(LedgerAccount::Node(BOBS), 20), (LedgerAccount::Node(CATS), 5), (LedgerAccount::Node(BOBS), 30)];
    let movement = Movement::of(Some(Postings::transfer(Currency::USD, LedgerAccount::Transit, &to)));
    assert_eq!([BOBS, CATS, OUTSIDE].map(|node| change(&movement, node)), [(50, 0, 0), (5, 0, 0), (0, 0, 0)]);
}
