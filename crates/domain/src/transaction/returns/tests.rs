use super::*;
use crate::money::Currency;
use crate::posting::{LedgerAccount, Posting, Rail};
use crate::testing::fixture::{
    ANNS, BOBS, BOBS_BANK, FEES, HOUSE, PLATFORM, PULLED, RESERVE, WIRED, between, bounce, by_return, cancel,
    counted, entry, fee, flows, fund, happened, on_node, on_rail_out, on_transit, pay, postings, queue, way,
};
use crate::testing::{World, given};
use crate::time::DAY_MS;
use crate::transaction::QueueReason;
use crate::transaction::create::Create;
use crate::{Command, NodeId};

const BANK: Origin = Origin::of(crate::actor::Actor::Bank);

fn on(account: LedgerAccount, amount: i64) -> Posting {
    Posting { account, amount }
}

fn returned(leg: Option<Direction>, lines: &[Posting]) -> NewEvent {
    let code = "R01".parse().expect("a code");
    happened(1, Returned { code, leg, postings: Some(postings(lines)), origin: BANK })
}

/// A world after the first `taken` commands of the payment's [`way`]; 100 were on Ann's node before.
fn after(create: &Create, taken: usize) -> World {
    given([fund(ANNS, 100)].into_iter().chain(way(create).into_iter().take(taken)))
}

fn settled(create: &Create) -> World {
    after(create, usize::MAX)
}

fn status(world: &World) -> Status {
    world.transaction(crate::testing::fixture::transaction(1)).expect("created").status
}

#[test]
fn every_started_flow_can_be_returned_once() {
    for create in flows() {
        for taken in 1..=way(&create).len() {
            let world = after(&create, taken);
            let before = status(&world);
            let name = format!("{} to {} after {taken}: {before:?}", create.from, create.to);
            if before == Status::Created {
                world.when(bounce(1, "R01")).refused(Refusal::CannotReturn(before));
                continue;
            }
            let world = world.when(bounce(1, "R01")).accepted();
            assert_eq!(status(&world), Status::Returned, "{name}");
            assert_eq!(world.account(ANNS, Currency::USD).posted, 100, "{name}");
            world.when(bounce(1, "R10")).refused(Refusal::CannotReturn(Status::Returned));
        }
    }
}

#[test]
fn unstarted_or_canceled_payment_is_not_returned() {
    let queued = given([pay(1, 60), queue(1, QueueReason::Risk).into()]);
    queued.when(bounce(1, "R01")).refused(Refusal::CannotReturn(Status::Queued));
    let canceled = given([pay(1, 60), cancel(1).into()]);
    canceled.when(bounce(1, "R01")).refused(Refusal::CannotReturn(Status::Canceled));
}

#[test]
fn internal_payment_returns_with_its_fee() {
    let create = Create { fees: vec![fee(FEES, 7)], ..between(1, ANNS, BOBS, 60) };
    let id = create.id;
    settled(&create).when(bounce(1, "R01")).then([
        returned(None, &[on_node(FEES, 7), on_node(ANNS, -60), on_node(BOBS, 53)]),
        by_return(counted(entry(FEES, id, (-7, 0, 0), (0, 0, 0)), 7, 0)),
        by_return(counted(entry(ANNS, id, (60, 0, 0), (100, 0, 0)), 100, 60)),
        by_return(counted(entry(BOBS, id, (-53, 0, 0), (0, 0, 0)), 53, 0)),
    ]);
}

#[test]
fn returned_pull_is_owed_to_bank() {
    let create = between(1, PULLED, ANNS, 60);
    let taken = on(LedgerAccount::ReturnOut, -60);
    let facts = settled(&create).when(bounce(1, "R01"));
    facts.then([
        returned(Some(Direction::Pull), &[on_node(ANNS, 60), taken]),
        by_return(counted(entry(ANNS, create.id, (-60, 0, 0), (100, 0, 0)), 160, 0)),
    ]);
}

#[test]
fn returned_push_is_owed_by_bank() {
    let create = between(1, ANNS, WIRED, 60);
    let coming = on(LedgerAccount::ReturnIn, 60);
    settled(&create).when(bounce(1, "R01")).then([
        returned(Some(Direction::Push), &[on_node(ANNS, -60), coming]),
        by_return(counted(entry(ANNS, create.id, (60, 0, 0), (100, 0, 0)), 100, 60)),
    ]);
}

#[test]
fn pending_amount_is_removed_on_return() {
    let create = between(1, ANNS, BOBS, 60);
    let world = after(&create, 3).when(bounce(1, "R01")).then([
        returned(None, &[on_node(ANNS, -60), on_transit(60)]),
        by_return(counted(entry(ANNS, create.id, (60, 0, 0), (100, 0, 0)), 100, 60)),
        by_return(entry(BOBS, create.id, (0, 0, -60), (0, 0, 0))),
    ]);
    assert_eq!(world.account(BOBS, Currency::USD).pending_in, 0);
}

#[test]
fn late_returned_pull_is_platform_loss() {
    let create = Create { fees: vec![fee(FEES, 7)], ..between(1, PULLED, WIRED, 60) };
    let (id, loss) = (create.id, on_node(RESERVE, 53));
    let taken = on(LedgerAccount::ReturnOut, -60);
    let world = settled(&create).when(bounce(1, "R01")).then([
        returned(Some(Direction::Pull), &[on_node(FEES, 7), taken, loss]),
        by_return(counted(entry(RESERVE, id, (-53, 0, 0), (-53, 0, 0)), 2, 2)),
        by_return(counted(entry(FEES, id, (-7, 0, 0), (0, 0, 0)), 7, 0)),
    ]);
    assert_eq!(world.transaction(id).and_then(Transaction::to_submit), None);
}

#[test]
fn return_before_push_loses_nothing() {
    // The payment is credited, and the push still waits for its file.
    let create = between(1, PULLED, WIRED, 60);
    let world = after(&create, 4).when(bounce(1, "R01")).accepted();
    assert_eq!(world.account(RESERVE, Currency::USD).posted, 0);
}

#[test]
fn returned_push_refunds_external_sender() {
    let create = between(1, PULLED, WIRED, 60);
    let pushed = ReturnTransaction { leg: Some(Direction::Push), ..bounce(1, "R01") };
    let coming = on(LedgerAccount::ReturnIn, 60);
    let world = settled(&create)
        .when(pushed)
        .then([returned(Some(Direction::Push), &[on_rail_out(Rail::Ach, -60), coming])]);
    let refund = world.transaction(create.id).and_then(Transaction::to_submit);
    assert_eq!(refund, Some((Direction::Refund, PULLED, Rail::Ach)));
}

#[test]
fn leg_matters_only_if_both_are_outside() {
    let table = [
        (ANNS, BOBS, Some(Direction::Pull), None),
        (ANNS, BOBS_BANK, Some(Direction::Pull), Some(Direction::Push)),
        (PULLED, ANNS, Some(Direction::Push), Some(Direction::Pull)),
        (PULLED, WIRED, None, Some(Direction::Pull)),
        (PULLED, WIRED, Some(Direction::Refund), Some(Direction::Pull)),
    ];
    for (from, to, told, expected) in table {
        let facts = settled(&between(1, from, to, 60))
            .submit(&ReturnTransaction { leg: told, ..bounce(1, "R01") }.into());
        let event = facts.expect("comes back").first().map(|fact| fact.event.clone());
        let Some(crate::Event::Transaction(crate::transaction::Event::Returned(returned))) = event else {
            panic!("{event:?}");
        };
        assert_eq!(returned.leg, expected, "{from} to {to}, {told:?}");
    }
}

#[test]
fn spent_money_leaves_marked_negative_balance() {
    let spent = Command::from(between(2, BOBS, HOUSE, 60));
    let history = [vec![fund(ANNS, 100)], way(&between(1, ANNS, BOBS, 60)), vec![spent]].concat();
    let world = given(history).when(bounce(1, "R01")).accepted();
    let bobs = world.account(BOBS, Currency::USD);
    assert_eq!((bobs.posted, bobs.available()), (0, -60));
    // A balance below zero covers nothing, and can be filled up again.
    let world = world.when(between(3, BOBS, HOUSE, 1)).accepted();
    assert_eq!(world.account(BOBS, Currency::USD).held, 60);
    world.when(fund(BOBS, 60)).accepted();
}

/// Every payment settles on a Thursday.
#[test]
fn return_is_valid_within_its_window() {
    // Two banking days: Friday and Monday. Sixty days end on Monday, 2 March; the banking day after that is still in
    // time.
    for (code, last_day) in [("R01", 4), ("R10", 61)] {
        let world = settled(&between(1, PULLED, ANNS, 60));
        let (in_time, late) =
            (world.clone().later((last_day + 1) * DAY_MS - 1), world.later((last_day + 1) * DAY_MS));
        in_time.when(bounce(1, code)).accepted();
        late.when(bounce(1, code)).refused(Refusal::TooLateToReturn);
    }
}

#[test]
fn window_starts_with_the_last_movement() {
    let create = between(1, ANNS, BOBS, 60);
    let world = after(&create, 3).later(10 * DAY_MS).when(way(&create)[3].clone()).accepted();
    // The day is a Sunday; Monday and Tuesday are left.
    world.later(2 * DAY_MS).when(bounce(1, "R01")).accepted();
}

#[test]
fn unknown_or_foreign_transaction_is_refused() {
    let world = || settled(&between(1, ANNS, BOBS, 60));
    let foreign = PlatformId::from_u128(PLATFORM.as_u128() + 1);
    world().when(ReturnTransaction { platform: foreign, ..bounce(1, "R01") }).refused(Refusal::Unknown);
    world().when(bounce(2, "R01")).refused(Refusal::Unknown);
}

#[test]
fn external_transfer_can_be_returned() {
    let income = crate::testing::fixture::income(ANNS, 100);
    let bounced = ReturnTransaction { id: income.id, ..bounce(1, "R01") };
    let world = given([fund(ANNS, 100)]).when(bounced).accepted();
    assert_eq!(world.account(ANNS, Currency::USD).posted, 0);
    let nodes: [NodeId; 2] = [ANNS, RESERVE];
    assert!(nodes.iter().all(|node| world.account(*node, Currency::USD).available() == 0));
}
