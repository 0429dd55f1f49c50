use super::super::Refusal;
use super::super::event::Journaled;
use super::*;
use crate::actor::Actor;
use crate::money::MAX_MINOR;
use crate::node::LimitsSet;
use crate::posting::{LedgerAccount, Rail};
use crate::testing::fixture::{
    ANN, ANNS, BOB, BOBS, CAT, DAN, HOUSE, OLGA, OUTSIDE, PLATFORM, RESERVE, bounce, credit, debit, fund,
    income, look_again, on_node, on_rail_in, on_transit, operate, pay, permit, postings, settle,
    transaction as number,
};
use crate::testing::{World, given};
use crate::time::DAY_MS;
use crate::transaction::WrittenOff;
use crate::user::Permission::{Locked, SendAndReceive, Unverified};
use crate::{Bank, Command};

const OPERATION: OperationId = OperationId::from_u128(80);

fn journal_of(lines: &[Posting]) -> Act {
    Act::Journal { postings: postings(lines), effective_at: None, clears: vec![] }
}

fn on_suspense(amount: i64) -> Posting {
    Posting { account: LedgerAccount::Suspense, amount }
}

fn posted(world: &World, node: NodeId) -> i64 {
    world.account(node, Currency::USD).posted
}

#[test]
fn journal_entry_posts_in_one_decision() {
    let moved = postings(&[on_node(ANNS, 40), on_node(BOBS, -40)]);
    let act = Act::Journal { postings: moved.clone(), effective_at: None, clears: vec![] };
    let mut world = given([fund(ANNS, 100)]);
    let facts = world.submit(&operate(80, act).into()).expect("accepted");
    assert_eq!(facts.get(1), Some(&NewEvent::new(OPERATION, Journaled { postings: moved })));
    assert_eq!(facts.len(), 4);
    assert_eq!([posted(&world, ANNS), posted(&world, BOBS)], [60, 40]);
    // The entry counts neither as incoming nor as outgoing.
    assert_eq!(world.account(ANNS, Currency::USD).today(world.now()), (100, 0));
}

#[test]
fn journal_entry_names_the_items_it_clears() {
    let item = ClearedItem {
        transaction: income(ANNS, 100).id,
        account: LedgerAccount::RailIn(Rail::Ach),
        amount: 60,
    };
    let lines = [on_rail_in(Rail::Ach, -60), on_node(RESERVE, 60)];
    let entry = |clears: &[ClearedItem]| {
        let clears = clears.to_vec();
        operate(80, Act::Journal { postings: postings(&lines), effective_at: None, clears })
    };
    let mut world = given([fund(ANNS, 100)]);
    let facts = world.submit(&entry(&[item]).into()).expect("accepted");
    let ClearedItem { transaction, account, amount } = item;
    let written_off = WrittenOff { operation: OPERATION, account, amount };
    assert_eq!(facts.last(), Some(&NewEvent::new(transaction, written_off)));
    let open = world.transaction(transaction).expect("created").open_items();
    assert_eq!(open.iter().map(|item| item.amount).collect::<Vec<_>>(), [40]);
    let table = [
        (vec![], Refusal::Items),
        (vec![item, item], Refusal::Items),
        (vec![ClearedItem { amount: 59, ..item }], Refusal::Items),
        (vec![ClearedItem { account: LedgerAccount::RailIn(Rail::Wire), ..item }], Refusal::Items),
        (vec![ClearedItem { account: LedgerAccount::Suspense, ..item }], Refusal::Items),
        (vec![ClearedItem { transaction: number(404), ..item }], Refusal::NotOpen),
    ];
    for (clears, refusal) in table {
        given([fund(ANNS, 100)]).when(entry(&clears)).refused(refusal);
    }
    // Less is open by now.
    let again =
        operate(81, Act::Journal { postings: postings(&lines), effective_at: None, clears: vec![item] });
    world.when(again).refused(Refusal::NotOpen);
}

#[test]
fn journal_posts_to_suspense() {
    let world = given([]).when(operate(80, journal_of(&[on_suspense(5), on_node(ANNS, -5)]))).accepted();
    assert_eq!(posted(&world, ANNS), 5);
}

#[test]
fn journal_entry_cannot_touch_protected_accounts() {
    let mut world = given([fund(ANNS, 100)]);
    let elsewhere = NodeId::from_u128(70);
    let node = node::create::Create {
        platform: PlatformId::from_u128(2),
        ..crate::testing::fixture::node(elsewhere, ANN, node::NodeKind::DepositUs)
    };
    world.record(&[NewEvent::new(elsewhere, node.created())]);
    let accounts = [
        LedgerAccount::Bank(Bank::SANDBOX),
        LedgerAccount::Transit,
        LedgerAccount::Node(OUTSIDE),
        LedgerAccount::Node(NodeId::from_u128(404)),
        LedgerAccount::Node(elsewhere),
    ];
    for account in accounts {
        for amount in [5, -5] {
            let lines = [Posting { account, amount }, on_node(ANNS, -amount)];
            world.clone().when(operate(80, journal_of(&lines))).refused(Refusal::Account);
        }
    }
    let hidden = [on_transit(5), on_transit(-5)];
    world.when(operate(80, journal_of(&hidden))).refused(Refusal::Account);
}

#[test]
fn journal_entry_keeps_every_floor() {
    let take = |node, amount| operate(80, journal_of(&[on_node(node, amount), on_node(HOUSE, -amount)]));
    given([fund(ANNS, 100)]).when(take(ANNS, 100)).accepted();
    given([fund(ANNS, 100)]).when(take(ANNS, 101)).refused(Refusal::OutOfRange);
    // Held money is not available.
    given([fund(ANNS, 100), pay(1, 60)]).when(take(ANNS, 41)).refused(Refusal::OutOfRange);
    given([]).when(take(RESERVE, 100_000)).accepted();
    given([]).when(take(RESERVE, 100_001)).refused(Refusal::OutOfRange);
}

#[test]
fn journal_entry_may_fill_negative_account() {
    let history = [fund(ANNS, 60), pay(1, 60), debit(1), credit(1), settle(1)];
    let spent = journal_of(&[on_node(BOBS, 60), on_node(HOUSE, -60)]);
    let world = given(history.into_iter().chain([operate(80, spent).into(), bounce(1, "R01").into()]));
    assert_eq!(posted(&world, BOBS), -60);
    let filled = journal_of(&[on_node(HOUSE, 50), on_node(BOBS, -50)]);
    assert_eq!(posted(&world.when(operate(81, filled)).accepted(), BOBS), -10);
}

#[test]
fn journal_amounts_out_of_range_are_refused() {
    let on = |account, amount| Posting { account, amount };
    let suspense = LedgerAccount::Suspense;
    let table = [
        vec![on_node(ANNS, i64::MIN), on(suspense, i64::MAX), on(suspense, 1)],
        vec![on_node(ANNS, -MAX_MINOR - 1), on(suspense, MAX_MINOR + 1)],
    ];
    for lines in table {
        given([]).when(operate(80, journal_of(&lines))).refused(Refusal::OutOfRange);
    }
    given([]).when(operate(80, journal_of(&[on_node(ANNS, -MAX_MINOR), on(suspense, MAX_MINOR)]))).accepted();
}

#[test]
fn journal_entry_may_be_backdated_never_postdated() {
    let on = |day: i64| Timestamp::from_ms(day * DAY_MS);
    let journal = |effective_at| {
        let postings = postings(&[on_suspense(5), on_node(ANNS, -5)]);
        operate(80, Act::Journal { postings, effective_at, clears: vec![] })
    };
    let mut world = given([]).later(5 * DAY_MS);
    for past in [0, 5] {
        let facts = world.clone().submit(&journal(Some(on(past))).into()).expect("accepted");
        // The request takes effect at once, the postings on the given day.
        let counts: Vec<_> = facts.iter().map(|fact| fact.effective_at).collect();
        assert_eq!(counts, [None, Some(on(past)), Some(on(past))]);
    }
    assert_eq!(world.submit(&journal(Some(on(6))).into()), Err(Refusal::OutOfRange.into()));
    assert_eq!(posted(&world.when(journal(None)).accepted(), ANNS), 5);
}

#[test]
fn backdated_entry_leaves_todays_totals() {
    let lines = postings(&[on_suspense(5), on_node(ANNS, -5)]);
    let past = Act::Journal { postings: lines, effective_at: Some(Timestamp::default()), clears: vec![] };
    let world = given([]).later(DAY_MS).when(fund(ANNS, 100)).accepted();
    let world = world.when(operate(80, past)).accepted();
    assert_eq!(world.account(ANNS, Currency::USD).today(world.now()), (100, 0));
}

#[test]
fn lock_holds_payments_until_unlock() {
    let table = [
        (Act::LockNode { node: ANNS }, Act::UnlockNode { node: ANNS }),
        (Act::LockUser { user: ANN }, Act::UnlockUser { user: ANN }),
        (Act::LockNode { node: BOBS }, Act::UnlockNode { node: BOBS }),
        (Act::LockUser { user: BOB }, Act::UnlockUser { user: BOB }),
    ];
    for (lock, unlock) in table {
        let world = given([fund(ANNS, 100), pay(1, 60), operate(80, lock.clone()).into(), debit(1)]);
        let status = |world: &World| world.transaction(number(1)).map(|it| it.status);
        assert_eq!(status(&world), Some(crate::transaction::Status::Queued), "{lock:?}");
        let world = world.when(operate(81, lock)).accepted().when(operate(82, unlock)).accepted();
        let world = world.when(look_again(1)).accepted();
        assert_eq!(status(&world), Some(crate::transaction::Status::Created));
    }
}

#[test]
fn lock_hides_permission_without_changing_it() {
    let permission = |world: &World, user| world.user(user).map(user::User::permission);
    for (user, before) in [(ANN, SendAndReceive), (CAT, crate::user::Permission::Receive), (DAN, Unverified)]
    {
        let world = given([operate(80, Act::LockUser { user }).into()]);
        assert_eq!(permission(&world, user), Some(Locked));
        let world = world.when(operate(81, Act::UnlockUser { user })).accepted();
        assert_eq!(permission(&world, user), Some(before));
    }
    let world = given([operate(80, Act::LockUser { user: ANN }).into(), permit(ANN, Unverified).into()]);
    assert_eq!(permission(&world, ANN), Some(Locked));
    let world = world.when(operate(81, Act::UnlockUser { user: ANN })).accepted();
    assert_eq!(permission(&world, ANN), Some(Unverified));
}

#[test]
fn limits_are_set_as_a_whole() {
    let limits: BTreeMap<_, _> = [(Currency::USD, Limits { floor: Some(-5), ..Limits::default() })].into();
    let set = |number, limits: &BTreeMap<_, _>| {
        Command::from(operate(number, Act::SetLimits { node: ANNS, limits: limits.clone() }))
    };
    let mut world = given([]);
    let facts = world.submit(&set(80, &limits)).expect("accepted");
    let origin = Origin::of(Actor::Operator(OLGA));
    assert_eq!(facts.last(), Some(&NewEvent::new(ANNS, LimitsSet { limits: limits.clone(), origin })));
    assert_eq!(world.node(ANNS).map(|node| node.limits.clone()), Some(limits));
    let world = world.when(set(81, &BTreeMap::new())).accepted();
    assert_eq!(world.node(ANNS).map(|node| node.limits.len()), Some(0));
    assert_eq!(world.platform(PLATFORM).map(|platform| platform.policy.limits.len()), Some(0));
}

#[test]
fn last_entry_keeps_daily_totals_after_backdating() {
    let moved = postings(&[on_node(ANNS, 40), on_node(BOBS, -40)]);
    let world = given([fund(ANNS, 100)]).later(2 * DAY_MS).when(fund(ANNS, 7)).accepted();
    let past = Timestamp::from_ms(world.now().ms() - DAY_MS);
    let act = Act::Journal { postings: moved, effective_at: Some(past), clears: vec![] };
    let mut world = world;
    let facts = world.submit(&operate(80, act).into()).expect("accepted");
    assert_eq!(world.account(ANNS, Currency::USD).today(world.now()), (7, 0));
    // The last entry alone gives the same account.
    let read = crate::State::begin(&facts[2].event, past).expect("an entry");
    assert_eq!(Some(&read), world.state(facts[2].key));
}
