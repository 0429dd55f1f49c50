//! Every recipient of a transaction is screened, whatever it gets money for.

use super::*;
use crate::actor::Origin;
use crate::aggregate::NewEvent;
use crate::node::deactivate::Deactivate;
use crate::operation::Act;
use crate::platform::{Limits, Policy};
use crate::testing::fixture::{
    ANNS, BOB, BOBS, BOBS_BANK, CAT, CATS, DAN, FEES, HOUSE, OWNER, PLATFORM, PURSE, RESERVE, SHOP, TILL,
    between, bounce, cancel, credit, debit, fee, fund, happened, ledgers, look_again, lower, operate, owner,
    payment, permit, set_policy, settle, simulate, transaction,
};
use crate::testing::{World, given};
use crate::time::DAY_MS;
use crate::transaction::advance::Step;
use crate::transaction::create::Create;
use crate::transaction::event::{FeesRedirected, Queued};
use crate::transaction::{QueueReason, Status, WaitsFor};
use crate::user::Permission;
use crate::{Command, Currency};

/// A payment of 60 from Ann to Bob, all of which is a fee for `node`.
fn all_for(number: u128, node: NodeId) -> Create {
    Create { fees: vec![fee(node, 60)], ..payment(number, 60) }
}

fn bank(history: impl IntoIterator<Item = Command>) -> World {
    given(ledgers().into_iter().chain([fund(ANNS, 1_000), fund(CATS, 100)]).chain(history))
}

fn the(world: &World, number: u128) -> &Transaction {
    world.transaction(transaction(number)).expect("created")
}

fn posted(world: &World, node: NodeId) -> i64 {
    world.account(node, Currency::USD).posted
}

fn limited(node: NodeId, daily_in: i64) -> Command {
    let limits = Limits { daily_in: Some(daily_in), ..Limits::default() };
    operate(70, Act::SetLimits { node, limits: [(Currency::USD, limits)].into() }).into()
}

fn lock(node: NodeId) -> Command {
    operate(71, Act::LockNode { node }).into()
}

fn gone(node: NodeId) -> Command {
    Deactivate { node, platform: PLATFORM, by: owner(node) }.into()
}

fn go(world: World, steps: impl IntoIterator<Item = Command>) -> World {
    steps.into_iter().fold(world, |world, step| world.when(step).accepted())
}

#[test]
fn fee_node_is_screened_like_a_receiver() {
    let table = [
        (vec![], PURSE, QueueReason::ReceiverPermission, vec![WaitsFor::User(DAN)]),
        (
            vec![operate(71, Act::LockUser { user: BOB }).into()],
            SHOP,
            QueueReason::ReceiverPermission,
            vec![WaitsFor::User(BOB)],
        ),
        (vec![lock(TILL)], TILL, QueueReason::ReceiverLocked, vec![WaitsFor::Node(TILL)]),
        (vec![limited(TILL, 59)], TILL, QueueReason::DailyLimit, vec![]),
    ];
    for (before, node, reason, waits_for) in table {
        // At the creation, and again when it is due.
        let create = Create { to: HOUSE, ..all_for(1, node) };
        let at_once = bank(before.clone()).when(create.clone()).accepted();
        let later = go(bank([create.into()]), before);
        let origin = Origin::PROCESS;
        let queued = Queued { reasons: vec![reason], waits_for: waits_for.clone(), origin };
        let due =
            if node == PURSE { at_once.clone() } else { later.when(debit(1)).then([happened(1, queued)]) };
        for world in [at_once, due] {
            let it = the(&world, 1);
            assert_eq!((it.status, &it.queue), (Status::Queued, &vec![reason]), "{node}");
            assert_eq!(it.waits_for, waits_for, "{node}");
        }
    }
}

#[test]
fn payment_continues_when_fee_owner_may_receive() {
    let world = bank([all_for(1, PURSE).into()]).when(look_again(1)).then([]);
    let world = go(world, [permit(DAN, Permission::Receive).into(), look_again(1).into()]);
    let world = go(world, [debit(1), credit(1), settle(1)]);
    assert_eq!((posted(&world, PURSE), posted(&world, BOBS)), (60, 0));
}

#[test]
fn receive_only_sender_cannot_pay_foreign_fees() {
    let from_cat = |node| Create { fees: vec![fee(node, 60)], ..between(1, CATS, HOUSE, 60) };
    let world = bank([from_cat(SHOP).into()]);
    assert_eq!(the(&world, 1).queue, [QueueReason::SenderPermission]);
    let world = bank([from_cat(FEES).into(), debit(1), credit(1), settle(1)]);
    assert_eq!(posted(&world, FEES), 60);
}

#[test]
fn closed_fee_owner_cancels_payment_at_debit() {
    let world = bank([all_for(1, TILL).into(), lower(CAT, Permission::Closed).into(), debit(1)]);
    assert_eq!((the(&world, 1).status, posted(&world, ANNS)), (Status::Canceled, 1_000));
}

/// Changes of a fee's node while the money is under way, with the obstacle that each makes.
fn ends() -> [(Command, Obstacle); 5] {
    [
        (lock(TILL), Obstacle::Locked),
        (gone(TILL), Obstacle::NotActive),
        (lower(CAT, Permission::Closed).into(), Obstacle::Owner),
        (permit(CAT, Permission::Unverified).into(), Obstacle::Owner),
        (operate(72, Act::LockUser { user: CAT }).into(), Obstacle::Owner),
    ]
}

#[test]
fn blocked_fee_goes_to_the_receiver() {
    for (end, obstacle) in ends() {
        let fees = vec![fee(FEES, 10), fee(TILL, 7)];
        let create = Create { fees, ..payment(1, 60) };
        let world = bank([create.into(), debit(1), credit(1), end]);
        let redirect = Redirect { fee: 1, minor: 7, from: TILL, obstacle, to: BOBS };
        let mut after = world.clone();
        let facts = after.submit(&settle(1)).expect("accepted");
        let told = FeesRedirected { redirects: vec![redirect], origin: Origin::PROCESS };
        assert_eq!(facts.first(), Some(&happened(1, told)), "{obstacle:?}");
        let get = [BOBS, FEES, TILL, RESERVE].map(|node| posted(&after, node));
        assert_eq!(get, [50, 10, 0, 0], "{obstacle:?}");
        assert_eq!(the(&after, 1).status, Status::Settled);
        // A return takes back the redirected fee, too.
        let back = after.when(bounce(1, "R01")).accepted();
        assert_eq!([ANNS, BOBS, FEES, TILL].map(|node| posted(&back, node)), [1_000, 0, 0, 0]);
    }
}

#[test]
fn fee_without_taker_goes_to_reserve() {
    let create = || Create { fees: vec![fee(TILL, 7)], ..payment(1, 60) };
    let out = Create { fees: vec![fee(TILL, 7)], ..between(1, ANNS, BOBS_BANK, 60) };
    let steps = [debit(1), simulate(1, Step::Credit)];
    let under_way = |create: Create| go(bank([create.into()]), steps.clone());
    let table = [
        ("the receiver is outside", go(under_way(out), [lock(TILL)])),
        (
            "the receiver's node is locked too",
            go(under_way(create()), [lock(TILL), operate(73, Act::LockNode { node: BOBS }).into()]),
        ),
        ("its day is full", go(go(bank([limited(BOBS, 59), create().into()]), steps.clone()), [lock(TILL)])),
    ];
    for (name, world) in table {
        let world = world.when(simulate(1, Step::Settle)).accepted();
        assert_eq!([TILL, RESERVE].map(|node| posted(&world, node)), [0, 7], "{name}");
        let world = world.when(bounce(1, "R01")).accepted();
        assert_eq!([ANNS, RESERVE].map(|node| posted(&world, node)), [1_000, 0], "{name}");
    }
}

#[test]
fn daily_limit_counts_announcements_from_debit() {
    let pay = |number| payment(number, 30).into();
    let all = [pay(1), pay(2), pay(3), debit(1), debit(2), debit(3)];
    let world = go(bank([limited(BOBS, 50)]), all);
    let statuses = [1, 2, 3].map(|number| the(&world, number).status);
    assert_eq!(statuses, [Status::ProcessingDebit, Status::Queued, Status::Queued]);
    assert_eq!(world.account(BOBS, Currency::USD).pending_in, 30);
    // The limit has room for one payment each day, in any order of rechecks.
    let world = go(world, [credit(1), settle(1)]).later(DAY_MS);
    let world =
        go(world, [look_again(2).into(), look_again(3).into(), debit(2), debit(3), credit(2), settle(2)]);
    assert_eq!((posted(&world, BOBS), the(&world, 3).status), (60, Status::Queued));
    let world = go(world.later(DAY_MS), [look_again(3).into(), debit(3), credit(3), settle(3)]);
    assert_eq!((posted(&world, BOBS), world.account(BOBS, Currency::USD).pending_in), (90, 0));
}

#[test]
fn platform_limit_counts_fees_and_net_together() {
    let limits = Limits { daily_in: Some(50), ..Limits::default() };
    let policy = Policy { limits: [(Currency::USD, limits)].into(), ..Policy::default() };
    let to_till = Create { fees: vec![fee(TILL, 21)], ..between(1, ANNS, TILL, 51) };
    let world = bank([set_policy(74, policy), to_till.into()]);
    assert_eq!(the(&world, 1).queue, [QueueReason::DailyLimit]);
}

#[test]
fn early_announcements_are_removed_on_reversal() {
    let create = Create { fees: vec![fee(SHOP, 7)], ..between(1, ANNS, BOBS_BANK, 60) };
    let world = bank([limited(SHOP, 50), create.into(), debit(1)]);
    assert_eq!(world.account(SHOP, Currency::USD).pending_in, 7);
    for back in [Command::from(cancel(1)), bounce(1, "R01").into()] {
        let world = world.clone().when(back).accepted();
        assert_eq!(world.account(SHOP, Currency::USD).pending_in, 0);
        assert_eq!((posted(&world, ANNS), the(&world, 1).announced_to(SHOP)), (1_000, 0));
    }
}

#[test]
fn plain_payment_records_one_event_per_step() {
    let create = Create { fees: vec![fee(TILL, 7)], ..payment(1, 60) };
    let mut world = bank([create.into()]);
    for step in [debit(1), credit(1), settle(1)] {
        let facts: Vec<NewEvent> = world.submit(&step).expect("accepted");
        let of_it = facts.iter().filter(|fact| fact.key == transaction(1).into());
        assert_eq!(of_it.count(), 1, "{facts:?}");
    }
    assert_eq!(world.platform(PLATFORM).map(|platform| platform.user), Some(OWNER));
}
