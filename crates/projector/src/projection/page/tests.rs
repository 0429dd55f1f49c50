//! Tests of the changes of a page. The tables that they produce must not depend on the size of the pages.

mod lists;

use std::collections::BTreeMap;

use daybook_domain::operation::Act;
use daybook_domain::testing::World;
use daybook_domain::testing::fixture::{
    self, ANN, ANNS, BOB, BOBS, DAN, DANS, PLATFORM, advance_clock, bounce, cancel, credit, cut, debit, fund,
    look_again, operate, pay, pay_out, permit, pull, queue, release, settle, statement,
};
use daybook_domain::time::DAY_MS;
use daybook_domain::transaction::{Direction, QueueReason};
use daybook_domain::user::Permission;
use daybook_domain::{Command, FileId, Kind, Timestamp};

use super::*;
use crate::models::members::{Counter, List};

/// Milliseconds between two commands of a history.
const TICK: i64 = 10;

/// The tables under test.
#[derive(Debug, Default, PartialEq)]
struct Tables {
    open: BTreeMap<(u128, String), (i64, i64)>,
    queued: BTreeMap<i64, u128>,
    waiting: BTreeMap<(u128, u128), Option<i64>>,
    members: BTreeMap<List, Vec<(u128, bool)>>,
    counters: HashMap<List, Counter>,
    parties: BTreeMap<List, Vec<u128>>,
}

/// Returns the events of the fixture's bank and of `commands`, and the world after them.
fn told(commands: impl IntoIterator<Item = Command>) -> (Vec<RecordedEvent>, World) {
    let mut world = World::default();
    let mut versions: HashMap<Key, u32> = HashMap::new();
    let mut events: Vec<RecordedEvent> = vec![];
    for command in fixture::bank().into_iter().chain(commands) {
        world.pass(TICK);
        for fact in world.submit(&command).expect("is not refused") {
            let version = versions.entry(fact.key).or_default();
            *version += 1;
            events.push(RecordedEvent {
                position: events.len() as u64 + 1,
                recorded_at: world.now(),
                effective_at: world.now(),
                event_id: 0,
                key: fact.key,
                platform: PLATFORM,
                version: *version,
                event: fact.event,
            });
        }
    }
    (events, world)
}

/// Returns the tables after `events` were folded in pages of `size`.
fn projected(events: &[RecordedEvent], size: usize) -> Tables {
    let mut tables = Tables::default();
    let mut before = Before::new();
    for events in events.chunks(size) {
        let page = Page::of(Models::ALL, events.iter(), &mut before).expect("continues");
        page.changes.open_items.write_to(&mut tables.open);
        page.changes.queued.write_to(&mut tables.queued);
        page.changes.waiting.write_to(&mut tables.waiting);
        page.changes.members.write_to(&mut tables.members, &mut tables.counters);
        page.changes.parties.write_to(&mut tables.parties);
        for changed in page.records.changed {
            before.insert(changed.key, changed.row);
        }
    }
    let counted = tables.members.iter().map(|(list, members)| (*list, Counter::of(members)));
    assert_eq!(tables.counters, counted.collect());
    tables
}

/// Returns the tables after `commands`, and checks that they are the same for pages of any size.
#[track_caller]
fn tables(commands: impl IntoIterator<Item = Command>) -> Tables {
    let (events, _) = told(commands);
    let whole = projected(&events, events.len());
    for size in [1, 2, 3, 5, 8] {
        assert_eq!(projected(&events, size), whole, "pages of {size}");
    }
    whole
}

/// Returns the time of the command with this number, counted from the first one after those of the bank.
fn at(number: usize) -> i64 {
    TICK * i64::try_from(fixture::bank().len() + number + 1).expect("few")
}

/// Returns the rows of waiting transactions, each with the time at which it was freed.
fn waiting(commands: impl IntoIterator<Item = Command>) -> Vec<((u128, u128), Option<i64>)> {
    tables(commands).waiting.into_iter().collect()
}

fn to_dan(number: u128) -> Command {
    fixture::between(number, ANNS, DANS, 5).into()
}

fn lock(number: u128, lock: bool) -> Command {
    let act = if lock { Act::LockNode { node: BOBS } } else { Act::UnlockNode { node: BOBS } };
    operate(number, act).into()
}

#[test]
fn payment_waits_until_user_gets_permission() {
    let fund = || fund(ANNS, 100);
    let dan = (DAN.as_u128(), 1);
    assert_eq!(waiting([fund(), to_dan(1)]), [(dan, None)]);
    let permit = |permission| Command::from(permit(DAN, permission));
    let freed = [fund(), to_dan(1), permit(Permission::Receive)];
    assert_eq!(waiting(freed.clone()), [(dan, Some(at(2)))]);
    // Another transaction is queued later for the same user: it has to wait for the next permission.
    let again = [permit(Permission::Unverified), to_dan(2)];
    let both = waiting(freed.clone().into_iter().chain(again));
    assert_eq!(both, [(dan, Some(at(2))), ((DAN.as_u128(), 2), None)]);
    assert_eq!(waiting(freed.into_iter().chain([look_again(1).into()])), []);
}

#[test]
fn user_on_both_sides_is_awaited_once() {
    let unverified = permit(ANN, Permission::Unverified);
    assert_eq!(waiting([unverified.into(), pull(1, 5)]), [((ANN.as_u128(), 1), None)]);
}

#[test]
fn unlock_frees_payments_of_permitted_user_only() {
    let [lock, unlock] =
        [Act::LockUser { user: DAN }, Act::UnlockUser { user: DAN }].map(|act| (act.clone(), act));
    let history = [fund(ANNS, 100), operate(1, lock.0).into(), to_dan(1), operate(2, unlock.0).into()];
    assert_eq!(waiting(history), [((DAN.as_u128(), 1), None)]);
    let history = [
        fund(ANNS, 100),
        operate(1, Act::LockUser { user: BOB }).into(),
        pay(1, 5),
        // Permitted, but locked.
        permit(BOB, Permission::Receive).into(),
        operate(2, Act::UnlockUser { user: BOB }).into(),
    ];
    assert_eq!(waiting(history[..4].to_vec()), [((BOB.as_u128(), 1), None)]);
    assert_eq!(waiting(history), [((BOB.as_u128(), 1), Some(at(4)))]);
}

#[test]
fn payment_waits_until_node_is_unlocked() {
    let history = [fund(ANNS, 100), lock(1, true), pay(1, 5), lock(2, false)];
    let row = (BOBS.as_u128(), 1);
    assert_eq!(waiting(history[..3].to_vec()), [(row, None)]);
    assert_eq!(waiting(history), [(row, Some(at(3)))]);
}

#[test]
fn requeued_payment_waits_for_new_causes_only() {
    let history = [
        fund(ANNS, 100),
        lock(1, true),
        pay(1, 5),
        lock(2, false),
        queue(1, QueueReason::Risk).into(),
        permit(ANN, Permission::Receive).into(),
        look_again(1).into(),
    ];
    assert_eq!(waiting(history[..5].to_vec()), [((BOBS.as_u128(), 1), None)]);
    // The payment waits for Ann. The reviewer who judged it risky is neither a user nor a node to wait for.
    assert_eq!(waiting(history), [((ANN.as_u128(), 1), None)]);
}

#[test]
fn queue_lists_payments_in_creation_order() {
    let risk = |number| Command::from(queue(number, QueueReason::Risk));
    let history = [fund(ANNS, 100), pay(1, 5), pay(2, 5), pay(3, 5), risk(3), risk(1), risk(2)];
    let queued = |commands: &[Command]| tables(commands.to_vec()).queued.into_values().collect::<Vec<_>>();
    assert_eq!(queued(&history), [1, 2, 3]);
    let less = [history.to_vec(), vec![release(1).into(), cancel(3).into()]].concat();
    assert_eq!(queued(&less), [2]);
    assert_eq!(waiting(less), []);
}

#[test]
fn item_is_open_until_statement_explains_it() {
    let out = [fund(ANNS, 100), pay_out(1, 60), debit(1), credit(1), cut(1), settle(1)];
    let open = |commands: &[Command]| -> Vec<_> {
        let rows = tables(commands.to_vec()).open.into_iter();
        rows.filter(|((id, _), _)| *id < 900).collect()
    };
    let item = |amount| ((1, "rail.out.ach".to_owned()), (amount, at(3)));
    assert_eq!(open(&out[..3]), []);
    assert_eq!(open(&out), [item(-60)]);
    let part = [out.to_vec(), vec![statement(0, 0, &[(-20, 1)])]].concat();
    assert_eq!(open(&part), [item(-40)]);
    let tomorrow = vec![advance_clock(DAY_MS).into(), statement(1, -20, &[(-40, 1)])];
    assert_eq!(open(&[part, tomorrow].concat()), []);
    // The returned amount is open at another account, since the return.
    let back = [out.to_vec(), vec![bounce(1, "R03").into()]].concat();
    let since = at(out.len());
    let both = [((1, "rail.out.ach".to_owned()), -60), ((1, "ret.in".to_owned()), 60)];
    assert_eq!(open(&back), both.map(|(key, amount)| (key, (amount, since))));
}

#[test]
fn derived_tables_match_states_after_every_command() {
    let file = |number: u128| FileId::from_u128(5_000 + number);
    let pulled = fixture::cut_as(2, Direction::Pull, daybook_domain::posting::Rail::Ach, file(2));
    let history = [
        fund(ANNS, 1_000),
        pull(2, 70),
        debit(2),
        pulled,
        to_dan(3),
        pay(4, 5),
        lock(1, true),
        pay(5, 5),
        debit(4),
        credit(2),
        queue(5, QueueReason::Risk).into(),
        permit(DAN, Permission::Receive).into(),
        settle(2),
        look_again(3).into(),
        statement(0, 0, &[(70, 2)]),
        lock(2, false),
    ];
    for len in 0..=history.len() {
        let (events, world) = told(history[..len].to_vec());
        let tables = projected(&events, 4);
        for (key, state) in world.states() {
            let derived = DerivedRows::of(state);
            let own = |id: u128| id == key.id && key.kind == Kind::Transaction;
            let open: Vec<_> = tables.open.iter().filter(|((id, _), _)| own(*id)).collect();
            assert_eq!(open.len(), derived.open.len());
            for ((_, account), (amount, since)) in open {
                let item = derived.open.iter().find(|(item, _)| item.account.to_string() == *account);
                assert_eq!(
                    item.map(|(item, at)| (item.amount, *at)),
                    Some((*amount, Timestamp::from_ms(*since)))
                );
            }
            assert_eq!(tables.queued.values().any(|id| own(*id)), derived.waits_for.is_some());
            let waits_for = tables.waiting.keys().filter(|(_, id)| own(*id)).map(|(waits_for, _)| *waits_for);
            assert_eq!(
                waits_for.collect::<std::collections::BTreeSet<_>>(),
                derived.waits_for.unwrap_or_default()
            );
        }
    }
    // The fourth payment was due and was queued then.
    let freed = [4, 5].map(|id| ((BOBS.as_u128(), id), Some(at(15))));
    assert_eq!(tables(history).waiting, BTreeMap::from(freed));
}
