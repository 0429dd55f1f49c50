use super::*;
use crate::actor::Actor;
use crate::node::LimitsSet;
use crate::posting::{Posting, Rail};
use crate::testing::fixture::{
    ANN, ANNS, BOB, BOBS, CAT, DAN, HOUSE, OLGA, OUTSIDE, PLATFORM, RESERVE, bounce, credit, debit, fund,
    look_again, on_node, on_rail_in, on_transit, operate, pay, permit, postings, settle,
    transaction as number,
};
use crate::testing::{World, given};
use crate::time::DAY_MS;
use crate::user::Permission::{Locked, SendAndReceive, Unverified};
use crate::{Bank, Command};

const OPERATION: OperationId = OperationId::from_u128(80);

fn journal_of(lines: &[Posting]) -> Act {
    Act::Journal { postings: postings(lines), effective_at: None }
}

fn posted(world: &World, node: NodeId) -> i64 {
    world.account(node, Currency::USD).posted
}

#[test]
fn a_journal_entry_moves_what_it_says_in_one_commit() {
    let moved = postings(&[on_node(ANNS, 40), on_node(BOBS, -40)]);
    let act = Act::Journal { postings: moved.clone(), effective_at: None };
    let mut world = given([fund(ANNS, 100)]);
    let facts = world.submit(&operate(80, act).into()).expect("accepted");
    assert_eq!(facts.get(1), Some(&Fact::new(OPERATION, Journaled { postings: moved })));
    assert_eq!(facts.len(), 4);
    assert_eq!([posted(&world, ANNS), posted(&world, BOBS)], [60, 40]);
    // It counts neither as coming in nor as going out.
    assert_eq!(world.account(ANNS, Currency::USD).today(world.now()), (100, 0));
}

#[test]
fn it_may_post_to_what_is_owed_on_the_way_to_or_from_a_bank_and_to_suspense() {
    let on = |account| Posting { account, amount: 5 };
    let accounts = [
        LedgerAccount::RailIn(Rail::Ach),
        LedgerAccount::RailOut(Rail::Wire),
        LedgerAccount::ReturnIn,
        LedgerAccount::ReturnOut,
        LedgerAccount::Suspense,
    ];
    for account in accounts {
        let world = given([]).when(operate(80, journal_of(&[on(account), on_node(ANNS, -5)]))).accepted();
        assert_eq!(posted(&world, ANNS), 5, "{account}");
    }
}

#[test]
fn neither_a_bank_nor_what_is_in_transit_nor_anothers_node_is_touched() {
    let mut world = given([fund(ANNS, 100)]);
    let elsewhere = NodeId::from_u128(70);
    let node = node::create::Create {
        platform: PlatformId::from_u128(2),
        ..crate::testing::fixture::node(elsewhere, ANN, node::NodeKind::DepositUs)
    };
    world.record(&[Fact::new(elsewhere, node.created())]);
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
fn it_leaves_no_account_below_its_floor() {
    let take = |node, amount| operate(80, journal_of(&[on_node(node, amount), on_node(HOUSE, -amount)]));
    given([fund(ANNS, 100)]).when(take(ANNS, 100)).accepted();
    given([fund(ANNS, 100)]).when(take(ANNS, 101)).refused(Refusal::OutOfRange);
    // What is promised is not there.
    given([fund(ANNS, 100), pay(1, 60)]).when(take(ANNS, 41)).refused(Refusal::OutOfRange);
    given([]).when(take(RESERVE, 100_000)).accepted();
    given([]).when(take(RESERVE, 100_001)).refused(Refusal::OutOfRange);
}

#[test]
fn an_account_that_a_return_left_below_zero_is_filled_up() {
    let history = [fund(ANNS, 60), pay(1, 60), debit(1), credit(1), settle(1)];
    let spent = journal_of(&[on_node(BOBS, 60), on_node(HOUSE, -60)]);
    let world = given(history.into_iter().chain([operate(80, spent).into(), bounce(1, "R01").into()]));
    assert_eq!(posted(&world, BOBS), -60);
    let filled = journal_of(&[on_node(HOUSE, 50), on_node(BOBS, -50)]);
    assert_eq!(posted(&world.when(operate(81, filled)).accepted(), BOBS), -10);
}

#[test]
fn numbers_that_do_not_fit_are_refused() {
    let on = |account, amount| Posting { account, amount };
    let (suspense, rail) = (LedgerAccount::Suspense, LedgerAccount::RailIn(Rail::Ach));
    let table = [
        vec![on_node(ANNS, i64::MIN), on(suspense, i64::MAX), on(suspense, 1)],
        vec![on_node(ANNS, -MAX_MINOR - 1), on(rail, MAX_MINOR + 1)],
    ];
    for lines in table {
        given([]).when(operate(80, journal_of(&lines))).refused(Refusal::OutOfRange);
    }
    given([]).when(operate(80, journal_of(&[on_node(ANNS, -MAX_MINOR), on(rail, MAX_MINOR)]))).accepted();
}

#[test]
fn it_may_count_for_a_day_of_the_past_but_not_of_the_future() {
    let on = |day: i64| Timestamp::from_ms(day * DAY_MS);
    let journal = |effective_at| {
        let postings = postings(&[on_rail_in(Rail::Ach, 5), on_node(ANNS, -5)]);
        operate(80, Act::Journal { postings, effective_at })
    };
    let mut world = given([]).later(5 * DAY_MS);
    for past in [0, 5] {
        let facts = world.clone().submit(&journal(Some(on(past))).into()).expect("accepted");
        // When it was asked for is when that was; what moved counts for the day.
        let counts: Vec<_> = facts.iter().map(|fact| fact.effective_at).collect();
        assert_eq!(counts, [None, Some(on(past)), Some(on(past))]);
    }
    assert_eq!(world.submit(&journal(Some(on(6))).into()), Err(Refusal::OutOfRange.into()));
    assert_eq!(posted(&world.when(journal(None)).accepted(), ANNS), 5);
}

#[test]
fn a_correction_of_the_past_says_nothing_about_today() {
    let lines = postings(&[on_rail_in(Rail::Ach, 5), on_node(ANNS, -5)]);
    let past = Act::Journal { postings: lines, effective_at: Some(Timestamp::default()) };
    let world = given([]).later(DAY_MS).when(fund(ANNS, 100)).accepted();
    let world = world.when(operate(80, past)).accepted();
    assert_eq!(world.account(ANNS, Currency::USD).today(world.now()), (100, 0));
}

#[test]
fn a_locked_node_or_user_moves_nothing_until_it_is_unlocked() {
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
fn a_lock_hides_what_was_found_about_a_user_and_does_not_change_it() {
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
    assert_eq!(facts.last(), Some(&Fact::new(ANNS, LimitsSet { limits: limits.clone(), origin })));
    assert_eq!(world.node(ANNS).map(|node| node.limits.clone()), Some(limits));
    let world = world.when(set(81, &BTreeMap::new())).accepted();
    assert_eq!(world.node(ANNS).map(|node| node.limits.len()), Some(0));
    assert_eq!(world.platform(PLATFORM).map(|platform| platform.policy.limits.len()), Some(0));
}

#[test]
fn a_correction_of_the_past_leaves_what_was_counted_today_in_the_last_entry() {
    let moved = postings(&[on_node(ANNS, 40), on_node(BOBS, -40)]);
    let world = given([fund(ANNS, 100)]).later(2 * DAY_MS).when(fund(ANNS, 7)).accepted();
    let past = Timestamp::from_ms(world.now().ms() - DAY_MS);
    let act = Act::Journal { postings: moved, effective_at: Some(past) };
    let mut world = world;
    let facts = world.submit(&operate(80, act).into()).expect("accepted");
    assert_eq!(world.account(ANNS, Currency::USD).today(world.now()), (7, 0));
    // Whoever reads the last entry alone finds the same account.
    let read = crate::State::begin(&facts[2].event, past).expect("an entry");
    assert_eq!(Some(&read), world.state(facts[2].key));
}
